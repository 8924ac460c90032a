import { AccessUnit, type Publisher, type Track } from 'sluice/sdk'
import type { Clip } from './clip/clip.ts'

const VIDEO_TIMESCALE = 90_000
/** A player that is further behind than this skips to the present time, without a burst of late pictures. */
export const MAX_LATE_MS = 400

/**
 * Plays a clip over and over into a publisher. The player has no timer: `tick` writes the units that are due. Times are those of the clock
 * passed to `tick`, so they can't drift from it, and grow from turn to turn.
 */
export class ClipPlayer {
  readonly #clip: Clip
  readonly #publisher: Publisher
  readonly #video: Track
  readonly #audio: Track
  readonly #startMs: number
  #picture = 0
  /** Positions in time: how many pictures and frames of sound belong before, with those that were left out. */
  #videoPosition = 0
  #audioPosition = 0

  constructor(clip: Clip, publisher: Publisher, nowMs: number) {
    this.#clip = clip
    this.#publisher = publisher
    this.#startMs = nowMs
    this.#video = publisher.addTrack({
      kind: 'video',
      codec: 'h264',
      timescale: VIDEO_TIMESCALE,
      config: clip.video,
    })
    this.#audio = publisher.addTrack({
      kind: 'audio',
      codec: 'aac',
      timescale: clip.audio.sampleRate,
      config: clip.audio,
    })
    publisher.tracksComplete()
  }

  /** The time at which the next picture is due, on the clock passed to `tick`. */
  get dueMs(): number {
    return this.#startMs + this.#videoMs
  }

  /** Writes the units that are due, in the order of time. */
  tick(nowMs: number): void {
    const elapsedMs = nowMs - this.#startMs
    if (elapsedMs - this.#videoMs > MAX_LATE_MS) this.#skipTo(elapsedMs)
    for (;;) {
      const isVideo = this.#videoMs <= this.#audioMs
      if ((isVideo ? this.#videoMs : this.#audioMs) > elapsedMs) return
      if (isVideo) this.#writePicture()
      else this.#writeSilence()
    }
  }

  get #videoMs(): number {
    return (this.#videoPosition * 1000) / this.#clip.fps
  }

  get #audioMs(): number {
    return (this.#audioPosition * this.#clip.samplesPerFrame * 1000) / this.#clip.audio.sampleRate
  }

  /** Goes on with the next picture, since each needs the one before; only the times leap. */
  #skipTo(elapsedMs: number): void {
    const { fps, audio, samplesPerFrame } = this.#clip
    this.#videoPosition = Math.floor((elapsedMs * fps) / 1000)
    this.#audioPosition = Math.ceil((this.#videoMs * audio.sampleRate) / (1000 * samplesPerFrame))
  }

  #writePicture(): void {
    const { length, fps } = this.#clip
    const picture = this.#clip.picture(this.#picture)
    const dts = (this.#videoPosition * VIDEO_TIMESCALE) / fps
    this.#picture = (this.#picture + 1) % length
    this.#videoPosition++
    this.#publisher.write(AccessUnit.fromData(this.#video, dts, dts, picture.keyframe, picture.data))
  }

  #writeSilence(): void {
    const { samplesPerFrame, silence } = this.#clip
    const dts = this.#audioPosition * samplesPerFrame
    this.#audioPosition++
    this.#publisher.write(AccessUnit.fromData(this.#audio, dts, dts, true, silence))
  }
}
