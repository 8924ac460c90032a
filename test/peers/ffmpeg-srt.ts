import { ffprobeFrames, type FfmpegPlayOptions } from './ffmpeg-rtsp.ts'
import { PeerProcess } from './process.ts'
import type { PeerFrame } from './rtsp.ts'
import { srtUrl, type SrtAddress } from './srt.ts'
import { withoutAdts } from './without-adts.ts'

/** Starts ffmpeg sending a file as it is by SRT, at the speed of the clock. It ends when all has come. */
export function publishSrtByFfmpeg(file: string, address: SrtAddress): PeerProcess {
  const input = ['-v', 'warning', '-nostdin', '-re', '-i', file]
  return new PeerProcess('ffmpeg', [...input, '-c', 'copy', '-f', 'mpegts', ...streamIdOf(address), urlOf(address)])
}

/**
 * Plays an address of SRT in ffprobe, and returns what it got in the order of decoding.
 * @throws {Error} when it cannot be read, or ffprobe complains of something in it
 */
export async function playSrtByFfmpeg(address: SrtAddress, options: FfmpegPlayOptions = {}): Promise<PeerFrame[]> {
  const input = [...streamIdOf(address), ...(options.input ?? [])]
  const frames = await ffprobeFrames(urlOf(address), { ...options, input })
  return frames.map(withoutAdts)
}

/** Not part of the address, where it could have no `&`. */
function streamIdOf({ streamId }: SrtAddress): string[] {
  return streamId === undefined ? [] : ['-srt_streamid', streamId]
}

/** It counts in microseconds. */
function urlOf(address: SrtAddress): string {
  const { latencyMs } = address
  return srtUrl({ ...address, ...(latencyMs === undefined ? {} : { latencyMs: latencyMs * 1000 }) })
}
