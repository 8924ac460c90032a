import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AudioConfig, VideoConfig } from 'sluice/sdk'
import { aacConfig, h264ConfigFromParameterSets, joinLengthPrefixed } from 'sluice/sdk/media'
import { Canvas } from './canvas.ts'
import { CellPicture } from '../encoder/cell-picture.ts'
import { CellEncoder } from '../encoder/cell-encoder.ts'
import { macroblocksFor, serializePps, serializeSps } from '../encoder/parameter-sets.ts'
import { Scene } from './scene.ts'
import { serializeSilence, SILENCE } from './silence.ts'

export const CLIP = { width: 640, height: 360, fps: 25, durationSeconds: 10, keyframeSeconds: 2 } as const

/** A coded picture: one NAL unit with its length before it. */
export type ClipPicture = { readonly keyframe: boolean; readonly data: Buffer }

/** A few seconds of picture that can be played over and over, and one frame of sound that fits everywhere. */
export type Clip = {
  readonly video: VideoConfig
  readonly audio: AudioConfig
  /** In decoding order, which is that of presentation; the first is a keyframe. */
  readonly pictures: readonly ClipPicture[]
  readonly fps: number
  readonly silence: Buffer
  readonly samplesPerFrame: number
}

/** Draws and encodes the demo clip of some 400 KB. Takes about half a second, and yields the event loop between pictures. */
export async function makeClip({ seconds = CLIP.durationSeconds }: { readonly seconds?: number } = {}): Promise<Clip> {
  const { width, height, fps, keyframeSeconds } = CLIP
  const size = [macroblocksFor(width), macroblocksFor(height)] as const
  const picture = new CellPicture(...size)
  const { luma } = picture
  const canvas = new Canvas(luma.width, luma.height)
  const scene = new Scene(luma.width, luma.height)
  const encoder = new CellEncoder(...size)
  const frames = seconds * fps
  const pictures: ClipPicture[] = []
  for (let frame = 0; frame < frames; frame++) {
    scene.draw(canvas, { frame, frames, fps })
    canvas.toCells(picture)
    const keyframe = frame % (keyframeSeconds * fps) === 0
    pictures.push({ keyframe, data: joinLengthPrefixed([encoder.encode(picture, keyframe)]) })
    await nextTurn()
  }
  return {
    video: h264ConfigFromParameterSets(serializeSps(CLIP), serializePps()),
    audio: aacConfig(SILENCE.config),
    pictures,
    fps,
    silence: serializeSilence(),
    samplesPerFrame: SILENCE.samplesPerFrame,
  }
}
