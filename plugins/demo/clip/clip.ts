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

/**
 * A few seconds of picture that can be played over and over, and one frame of sound that fits everywhere. A picture is drawn
 * and encoded when it is played for the first time, in a millisecond or two, as all of them together would hold up a start.
 */
export class Clip {
  readonly video: VideoConfig = h264ConfigFromParameterSets(serializeSps(CLIP), serializePps())
  readonly audio: AudioConfig = aacConfig(SILENCE.config)
  readonly fps = CLIP.fps
  readonly silence: Buffer = serializeSilence()
  readonly samplesPerFrame = SILENCE.samplesPerFrame
  /** The number of its pictures. */
  readonly length: number
  readonly #pictures: ClipPicture[] = []
  /** Gone when the last picture is made. */
  #maker: PictureMaker | undefined

  constructor({ seconds = CLIP.durationSeconds }: { readonly seconds?: number } = {}) {
    this.length = seconds * CLIP.fps
    this.#maker = new PictureMaker(this.length)
  }

  /**
   * The picture of an index below `length`, in decoding order, which is that of presentation; the first is a keyframe. It is
   * made when it is not there yet, with those before it.
   */
  picture(index: number): ClipPicture {
    while (this.#pictures.length <= index && this.#maker !== undefined) {
      this.#pictures.push(this.#maker.next())
      if (this.#pictures.length === this.length) this.#maker = undefined
    }
    const picture = this.#pictures[index]
    if (picture === undefined) throw new RangeError(`the clip has no picture ${index}`)
    return picture
  }
}

/** Draws and encodes the pictures of a clip, one after the other. */
class PictureMaker {
  readonly #frames: number
  readonly #picture: CellPicture
  readonly #canvas: Canvas
  readonly #scene: Scene
  readonly #encoder: CellEncoder
  #frame = 0

  constructor(frames: number) {
    const size = [macroblocksFor(CLIP.width), macroblocksFor(CLIP.height)] as const
    this.#frames = frames
    this.#picture = new CellPicture(...size)
    const { luma } = this.#picture
    this.#canvas = new Canvas(luma.width, luma.height)
    this.#scene = new Scene(luma.width, luma.height)
    this.#encoder = new CellEncoder(...size)
  }

  next(): ClipPicture {
    const { fps, keyframeSeconds } = CLIP
    const frame = this.#frame++
    this.#scene.draw(this.#canvas, { frame, frames: this.#frames, fps })
    this.#canvas.toCells(this.#picture)
    const keyframe = frame % (keyframeSeconds * fps) === 0
    return { keyframe, data: joinLengthPrefixed([this.#encoder.encode(this.#picture, keyframe)]) }
  }
}
