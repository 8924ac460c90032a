import type { AccessUnit, UnitReader } from 'sluice/sdk'
import type { Stream } from '../../stream/stream.ts'
import { decodingMs, frameView, type TrackFrame } from './track-frames.ts'
import { keptUnits, writeMsOf, type PublishedTrack } from './track-snapshot.ts'

/** The most frames that wait for a client; above that the oldest are dropped. */
export const MAX_WAITING_FRAMES = 500

/**
 * The frames of a track for one client: the kept ones, then each new one, until the track ends. `close` is to be called when
 * the client has gone.
 */
export class TrackWatch implements UnitReader {
  /** The number of frames that were dropped for a slow client. Their numbers are missing in the sequence, too. */
  dropped = 0
  readonly #stream: Stream
  readonly #trackId: number
  // The list has views and not units, so that a client that reads none keeps no media in memory.
  readonly #waiting: TrackFrame[] = []
  readonly #firstSequence: number
  readonly #leave: () => void
  #sequence: number
  #isOver = false
  #wake: () => void = () => {}

  constructor(published: PublishedTrack) {
    const { stream, publisher, track } = published
    this.#stream = stream
    this.#trackId = track.id
    const { units = 0 } = publisher.meter(track) ?? {}
    this.#sequence = units - keptUnits(published).length
    this.#firstSequence = units - MAX_WAITING_FRAMES + 1
    this.#leave = stream.fanOut.watch(track.kind, this)
  }

  unit(unit: AccessUnit): void {
    if (unit.track.id !== this.#trackId) return
    const sequence = ++this.#sequence
    // Only the newest units of a long buffer are sent.
    if (sequence < this.#firstSequence) return
    if (this.#waiting.length === MAX_WAITING_FRAMES) {
      this.#waiting.shift()
      this.dropped++
    }
    this.#waiting.push(frameView({ unit, sequence, writeMs: writeMsOf(this.#stream, decodingMs(unit)) }))
    this.#wake()
  }

  trackRemoved({ id }: { readonly id: number }): void {
    if (id === this.#trackId) this.#end()
  }

  sourceEnded(): void {
    this.#end()
  }

  /**
   * Resolves with the next frame as soon as there is one; undefined when the track has ended or this was closed. One call at
   * a time.
   */
  async next(): Promise<TrackFrame | undefined> {
    if (this.#waiting.length === 0 && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.#waiting.shift()
  }

  /** Ends the watch. Idempotent. */
  close(): void {
    this.#waiting.length = 0
    this.#leave()
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    this.#wake()
  }
}
