import { isDeepStrictEqual } from 'node:util'
import type { AccessUnit } from '../media/access-unit.ts'
import type { Muxer, MuxerFormat } from '../media/muxer.ts'
import { rescale } from '../media/time/rescale.ts'
import type { Track } from '../media/track.ts'
import type { Sink } from '../stream/sink.ts'
import type { FakeOutput } from './fake-output.ts'

/** The subscriber, as its muxer knows it. */
type MuxedSubscriber = { readonly tracks: readonly Track[] }

/** A muxer of one subscriber, which writes as the host does: start bytes, then units, configuration when it changes. */
export class MuxedOutput implements FakeOutput {
  readonly #format: MuxerFormat
  readonly #sink: Sink
  readonly #subscriber: MuxedSubscriber
  readonly #metadata: () => Readonly<Record<string, unknown>>
  /** The announced tracks, by kind, layer, language and label. */
  readonly #announced = new Map<string, Pick<Track, 'codec' | 'timescale' | 'config'>>()
  #muxer: Muxer
  #begun = false
  /** It goes on where another muxer has begun. */
  #resumes = false
  #timeMs = 0

  constructor(
    format: MuxerFormat,
    sink: Sink,
    subscriber: MuxedSubscriber,
    metadata: () => Readonly<Record<string, unknown>>,
  ) {
    this.#format = format
    this.#muxer = format.createMuxer()
    this.#sink = sink
    this.#subscriber = subscriber
    this.#metadata = metadata
  }

  start(): void {
    if (this.#begun) return
    this.#begun = true
    const tracks = this.#tracks
    for (const track of tracks) this.#announce(track)
    const bytes = this.#startMuxer()
    this.#write(this.#resumes ? this.#resumeBytes(tracks) : bytes)
  }

  /** Another muxer, of the stream that the subscriber was moved to, goes on at the next start point. */
  sourceChanged(): void {
    this.#resumes ||= this.#begun
    this.#begun = false
    this.#muxer = this.#format.createMuxer()
  }

  #resumeBytes(tracks: readonly Track[]): Buffer {
    if (this.#muxer.resume) return this.#muxer.resume({ tracks, metadata: this.#metadata() }, this.#timeMs)
    const parts = tracks.map((track) => this.#muxer.configure(track, this.#timeMs))
    return Buffer.concat(parts.filter((part) => part !== null))
  }

  get #tracks(): readonly Track[] {
    return this.#subscriber.tracks.filter((track) => this.#carries(track))
  }

  #carries(track: Track): boolean {
    return this.#format.carries?.(track) ?? true
  }

  #startMuxer(): Buffer {
    return this.#muxer.start({ tracks: this.#tracks, metadata: this.#metadata() })
  }

  track(track: Track): void {
    if (!this.#begun || !this.#carries(track)) return
    this.#startMuxer()
    if (this.#announce(track)) this.#write(this.#muxer.configure(track, this.#timeMs))
  }

  unit(unit: AccessUnit): void {
    this.#timeMs = rescale(unit.dts, unit.track.timescale, 1000)
    if (this.#carries(unit.track)) this.#write(this.#muxer.mux(unit))
  }

  /** Returns true when a track is new, or differs from its last announcement. */
  #announce({ kind, layer, language, label, codec, timescale, config }: Track): boolean {
    const slot = JSON.stringify([kind, layer, language, label])
    const said = { codec, timescale, config }
    const isNew = !isDeepStrictEqual(this.#announced.get(slot), said)
    this.#announced.set(slot, said)
    return isNew
  }

  #write(bytes: Buffer | null): void {
    if (bytes === null) return
    const { frame } = this.#sink
    this.#sink.write(frame ? frame(bytes) : bytes)
  }
}
