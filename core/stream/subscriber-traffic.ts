import type { SessionMeter } from './session-meters.ts'
import type { Sent, StreamTraffic } from './stream-traffic.ts'

/** The counters of a sink or reader; a reader has no sent bytes. */
type CountingQueue = Pick<Sent, 'dropped' | 'skips'> & { readonly sentBytes?: number; readonly queuedBytes: number }

/** The traffic to a subscriber: as its sink or reader counts it, and as its plugin accounts for it. */
export class SubscriberTraffic implements Sent {
  /** The sink or reader; undefined before there is one. */
  queue: CountingQueue | undefined
  readonly #meter: SessionMeter
  #accountedBytes = 0
  #accountedDrops = 0
  /** The traffic that was gathered so far. */
  #gathered: Sent = { sentBytes: 0, dropped: 0, skips: 0 }

  constructor(meter: SessionMeter) {
    this.#meter = meter
  }

  get sentBytes(): number {
    return this.#accountedBytes + (this.queue?.sentBytes ?? 0)
  }

  get dropped(): number {
    return this.#accountedDrops + (this.queue?.dropped ?? 0)
  }

  get skips(): number {
    return this.queue?.skips ?? 0
  }

  get queuedBytes(): number {
    return this.queue?.queuedBytes ?? 0
  }

  /** @throws {RangeError} when a value is no count */
  account({ bytes = 0, dropped = 0 }: { readonly bytes?: number; readonly dropped?: number }): void {
    if (![bytes, dropped].every((count) => Number.isSafeInteger(count) && count >= 0)) {
      throw new RangeError('counts are whole numbers from 0 on')
    }
    this.#accountedBytes += bytes
    this.#accountedDrops += dropped
  }

  /** Adds the traffic since the last time to that of the stream, and to that of the protocol. */
  gather(stream: StreamTraffic): void {
    const { sentBytes, dropped, skips } = this
    const before = this.#gathered
    if (sentBytes === before.sentBytes && dropped === before.dropped && skips === before.skips) return
    const sent = {
      sentBytes: sentBytes - before.sentBytes,
      dropped: dropped - before.dropped,
      skips: skips - before.skips,
    }
    this.#gathered = { sentBytes, dropped, skips }
    stream.add(sent)
    this.#meter.sent.add(sent.sentBytes)
    this.#meter.dropped.add(sent.dropped)
    this.#meter.skips.add(sent.skips)
  }
}
