import { performance } from 'node:perf_hooks'
import type { Sink } from 'sluice/sdk'
import type { Timers } from '../plugin-context.ts'

/** The size of a burst. Receivers hold about 100 datagrams that they have not read, with the default buffers of their system. */
const BURST_BYTES = 64 * 1024
/** The time after which another burst may leave. */
const BURST_INTERVAL_MS = 5
const BYTES_PER_MS = BURST_BYTES / BURST_INTERVAL_MS
const FRAME_HEAD_BYTES = 4
/** The goodbye follows the last media after this: players read RTCP before the RTP that has come with it, and then leave. */
const GOODBYE_DELAY_MS = 200

/** Sends the datagrams of one channel. */
export type ChannelTarget = (datagrams: readonly Buffer[]) => void

/**
 * A sink that takes interleaved frames apart and sends their packets as datagrams. A large write, such as the group of pictures that a
 * player begins with, leaves in bursts that fit into the receivers' buffers.
 */
export class DatagramSink implements Sink {
  readonly #targets: ReadonlyMap<number, ChannelTarget>
  readonly #timers: Pick<Timers, 'setTimeout' | 'signal'>
  /** Whole frames. */
  #queue: Buffer[] = []
  #queuedBytes = 0
  /** The bytes that may leave at once; they grow with time. */
  #allowedBytes = BURST_BYTES
  #allowedAtMs = performance.now()
  #cancel: (() => void) | undefined
  /** Sends the goodbye and closes the sink; set while the sink is ending. */
  #finish: (() => void) | undefined
  #closed = false

  constructor(targets: ReadonlyMap<number, ChannelTarget>, timers: Pick<Timers, 'setTimeout' | 'signal'>) {
    this.#targets = targets
    this.#timers = timers
  }

  get queuedBytes(): number {
    return this.#queuedBytes
  }

  write(bytes: Buffer): void {
    if (this.#closed || this.#finish !== undefined) return
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    this.#send()
  }

  /**
   * Sends the frames that wait and, when receivers had a moment to read them, `goodbye`; then it is closed, and calls `ended`. At the end
   * of the generation all this happens at once. Bytes that are written meanwhile are left out.
   */
  end(goodbye: Buffer, ended: () => void): void {
    if (this.#finish !== undefined) return
    const { signal } = this.#timers
    const finish = () => {
      this.close(goodbye)
      ended()
    }
    if (this.#closed || signal.aborted) return finish()
    this.#finish = finish
    signal.addEventListener('abort', finish, { once: true })
    this.#send()
  }

  /** Sends `goodbye` at once and nothing more; the frames that wait are dropped. Idempotent. */
  close(goodbye?: Buffer): void {
    if (this.#closed) return
    this.#closed = true
    this.#queue = []
    this.#queuedBytes = 0
    this.#cancel?.()
    if (this.#finish !== undefined) this.#timers.signal.removeEventListener('abort', this.#finish)
    this.#finish = undefined
    if (goodbye === undefined) return
    this.#allowedBytes = Infinity
    this.#sendFrames(goodbye)
  }

  #send(): void {
    if (this.#cancel !== undefined) return
    const nowMs = performance.now()
    this.#allowedBytes = Math.min(BURST_BYTES, this.#allowedBytes + (nowMs - this.#allowedAtMs) * BYTES_PER_MS)
    this.#allowedAtMs = nowMs
    for (let bytes = this.#queue[0]; bytes !== undefined; bytes = this.#queue[0]) {
      if (this.#allowedBytes <= 0) {
        this.#cancel = this.#timers.setTimeout(() => this.#goOn(), BURST_INTERVAL_MS)
        return
      }
      const sizeBytes = this.#sendFrames(bytes)
      this.#allowedBytes -= sizeBytes
      this.#queuedBytes -= sizeBytes
      if (sizeBytes === bytes.length) this.#queue.shift()
      else this.#queue[0] = bytes.subarray(sizeBytes)
    }
    if (this.#finish !== undefined) this.#cancel = this.#timers.setTimeout(this.#finish, GOODBYE_DELAY_MS)
  }

  #goOn(): void {
    this.#cancel = undefined
    this.#send()
  }

  /** Sends as many frames as are allowed, consecutive frames of a channel by one call; returns their size in bytes. */
  #sendFrames(bytes: Buffer): number {
    let datagrams: Buffer[] = []
    let channel = bytes[1]!
    let offset = 0
    while (offset < bytes.length && offset < this.#allowedBytes) {
      if (bytes[offset + 1] !== channel) {
        this.#targets.get(channel)?.(datagrams)
        datagrams = []
        channel = bytes[offset + 1]!
      }
      const end = offset + FRAME_HEAD_BYTES + bytes.readUInt16BE(offset + 2)
      datagrams.push(bytes.subarray(offset + FRAME_HEAD_BYTES, end))
      offset = end
    }
    this.#targets.get(channel)?.(datagrams)
    return offset
  }
}
