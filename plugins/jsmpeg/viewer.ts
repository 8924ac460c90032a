import type { CloseReason, Sink, Subscriber } from 'sluice/sdk'

const SLOW: CloseReason = { code: 'slow', text: 'slow' }

/** A viewer by WebSocket. When too much is queued, it gets nothing until it has read all; MPEG-1 continues at its next keyframe. */
export class Viewer {
  readonly subscriber: Subscriber
  readonly #sink: Sink
  #sentBytes = 0
  #isBehind = false
  #drainedBytes = 0
  #progressMs: number

  constructor(subscriber: Subscriber, sink: Sink, nowMs: number) {
    this.subscriber = subscriber
    this.#sink = sink
    this.#progressMs = nowMs
  }

  /** Sends a message, or leaves it out; ends a viewer that takes nothing for `stalltimeout`. */
  send(message: Buffer, nowMs: number): void {
    const { queuesize, stalltimeout } = this.subscriber.config
    const { queuedBytes } = this.#sink
    if (this.#isStalled(queuedBytes, stalltimeout, nowMs)) return this.subscriber.close(SLOW)
    this.#isBehind = queuedBytes > 0 && (this.#isBehind || queuedBytes + message.length > queuesize)
    if (this.#isBehind) return this.subscriber.account({ dropped: 1 })
    this.#sink.write(message)
    this.#sentBytes += message.length
    this.subscriber.account({ bytes: message.length })
  }

  #isStalled(queuedBytes: number, timeoutMs: number, nowMs: number): boolean {
    const drainedBytes = this.#sentBytes - queuedBytes
    if (queuedBytes === 0 || drainedBytes > this.#drainedBytes) {
      this.#drainedBytes = drainedBytes
      this.#progressMs = nowMs
    }
    return timeoutMs > 0 && nowMs - this.#progressMs >= timeoutMs
  }
}
