import { performance } from 'node:perf_hooks'
import type { Track } from 'sluice/sdk'
import { LatestTimes, timesOf, type Times } from './latest-times.ts'
import type { StreamPublisher } from './stream-publisher.ts'

/** The time of a stream, which goes on from one publisher to the next. */
export class StreamClock {
  #publisher: StreamPublisher | undefined
  #ended: { readonly lastMs: number; readonly atMs: number } | undefined
  /** The latest times of former publishers. */
  readonly #latest = new LatestTimes()

  begin(publisher: StreamPublisher): void {
    this.#publisher = publisher
  }

  end(publisher: StreamPublisher): void {
    this.#latest.addAll(this.latestTimes(), 0)
    this.#ended = { lastMs: publisher.timeline.lastMs, atMs: publisher.lastWriteMs }
    this.#publisher = undefined
  }

  /** The time at which the next publisher starts, so that the subscribers' time goes on; undefined for a new stream. */
  get nextStartMs(): number | undefined {
    if (this.#ended === undefined) return undefined
    // The start is one millisecond later than the last time, which was rounded from finer ticks, and after the last picture is shown.
    const sinceMs = Math.round(this.#ended.lastMs + performance.now() - this.#ended.atMs) + 1
    return Math.max(sinceMs, Math.ceil(this.#latest.nextMs))
  }

  /** The time of media that would come at this moment. */
  get nowMs(): number {
    if (this.#publisher === undefined) return this.nextStartMs ?? 0
    return this.#publisher.timeline.lastMs + performance.now() - this.#publisher.lastWriteMs
  }

  /** The latest times of written units, by kind of track. */
  latestTimes(): LatestTimes {
    const latest = new LatestTimes()
    latest.addAll(this.#latest, 0)
    for (const track of this.#publisher?.tracks ?? []) {
      const meter = this.#publisher?.meter(track)
      if (meter === undefined || meter.units === 0) continue
      latest.add(track.kind, timesOf({ track, dts: meter.lastDts, pts: meter.lastPts }))
    }
    return latest
  }

  /** The earliest times of the next unit of a track; undefined before its first one. */
  nextOf(track: Track): Times | undefined {
    const meter = this.#publisher?.meter(track)
    if (meter === undefined || meter.units === 0) return undefined
    return timesOf({ track, dts: meter.lastDts, pts: meter.lastDts })
  }
}
