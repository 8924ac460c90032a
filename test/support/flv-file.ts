import { readFile } from 'node:fs/promises'
import { FlvReader, type FlvTag } from 'sluice/sdk/media'
import { makeTestFile, type PublishInit } from '../peers/ffmpeg.ts'
import { FlvFrames, fromFirstKeyframe, type ReceivedFrame } from './flv-frames.ts'

/** An FLV file in memory. */
export type FlvFile = {
  /** All its tags: metadata, sequence headers, media. */
  readonly tags: readonly FlvTag[]
  /** What a viewer of all of it gets: everything from the first keyframe on. */
  readonly frames: readonly ReceivedFrame[]
}

export async function readFlvFile(file: string): Promise<FlvFile> {
  const tags = new FlvReader().push(await readFile(file))
  const content = new FlvFrames()
  for (const tag of tags) content.push(tag)
  return { tags, frames: fromFirstKeyframe(content.frames) }
}

/** Makes a file of a test source with ffmpeg, and reads it. */
export async function makeFlvFile(file: string, init: Omit<PublishInit, 'url'> = {}): Promise<FlvFile> {
  await makeTestFile({ url: file, durationSeconds: 2, ...init })
  return readFlvFile(file)
}
