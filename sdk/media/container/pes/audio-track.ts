import { AccessUnit } from '../../access-unit.ts'
import type { AudioCodec, AudioConfig, Track } from '../../track.ts'
import { modulo, PES_CLOCK_RANGE, PES_TIMESCALE } from './clock.ts'
import type { ElementaryStreamOptions } from './elementary-stream.ts'

/** The track of a stream of audio, and its position in time. */
export class AudioTrackWriter {
  readonly #codec: AudioCodec
  readonly #options: ElementaryStreamOptions
  #track: Track | undefined
  #format: string | undefined
  /** The last known time of a unit, and the samples since. */
  #base: number | undefined
  #samples = 0

  constructor(codec: AudioCodec, options: ElementaryStreamOptions) {
    this.#codec = codec
    this.#options = options
  }

  /** Sets the time of the next unit. */
  moveTo(pts: number): void {
    this.#base = pts
    this.#samples = 0
  }

  /** Forgets the time of the next unit. */
  loseTime(): void {
    this.#base = undefined
  }

  drop(): void {
    this.#options.onDrop()
  }

  /**
   * Declares the track, or gives it another configuration, when `format` is not the last one.
   * @throws {MalformedError} as `configOf`.
   */
  configure(format: string, configOf: () => AudioConfig): void {
    if (format === this.#format) return
    const config = configOf()
    this.#format = format
    const { sink, terms, onTrack } = this.#options
    const common = { timescale: PES_TIMESCALE, config, ...terms }
    if (this.#track) this.#track = sink.configureTrack(this.#track, config)
    else {
      this.#track = sink.addTrack({ kind: 'audio', codec: this.#codec, ...common })
      onTrack()
    }
  }

  /** Writes a unit that plays for so many samples. */
  write(data: Buffer, samples: number, sampleRate: number): void {
    if (!this.#track || this.#base === undefined) return this.drop()
    const ticks = Math.floor((this.#samples * PES_TIMESCALE) / sampleRate)
    const time = modulo(this.#base + ticks, PES_CLOCK_RANGE)
    this.#samples += samples
    this.#options.sink.write(AccessUnit.fromData(this.#track, time, time, true, data))
  }

  lost(): void {
    if (this.#track) this.#options.sink.lost(this.#track, 1)
  }

  end(): void {
    if (this.#track) this.#options.sink.removeTrack(this.#track)
  }
}
