import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { findProgram } from '../../peers/peers.ts'
import { runPeer } from '../../peers/process.ts'
import { CACHE_FOLDER } from '../cache.ts'

/** 2 Mbit/s in all, at a constant rate, 25 frames a second with a keyframe every two seconds. */
const VIDEO_ARGS =
  '-c:v libx264 -preset veryfast -pix_fmt yuv420p -bf 0 -g 50 -keyint_min 50 -sc_threshold 0 ' +
  '-b:v 1900k -minrate 1900k -maxrate 1900k -bufsize 950k -x264-params nal-hrd=cbr'
const AUDIO_ARGS = '-c:a aac -b:a 96k -ar 44100 -ac 2'
const INPUT_ARGS =
  '-f lavfi -i testsrc2=rate=25:size=1280x720,noise=alls=8:allf=t -f lavfi -i sine=frequency=440:sample_rate=44100'

/**
 * The media that is published, encoded when it is needed for the first time.
 * @throws {Error} without ffmpeg
 */
export async function sourceFile(): Promise<string> {
  const file = path.join(CACHE_FOLDER, 'source-2mbit.flv')
  if (existsSync(file)) return file
  if (findProgram('ffmpeg') === undefined) throw new Error('ffmpeg is needed to make the media to publish')
  await mkdir(CACHE_FOLDER, { recursive: true })
  const unfinished = path.join(CACHE_FOLDER, `unfinished-${process.pid}.flv`)
  const args = [INPUT_ARGS, '-t 20', VIDEO_ARGS, AUDIO_ARGS].join(' ').split(' ')
  await runPeer('ffmpeg', ['-v', 'error', '-nostdin', ...args, '-y', unfinished])
  await rename(unfinished, file)
  return file
}
