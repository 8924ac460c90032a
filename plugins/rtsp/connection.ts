import type { Duplex } from 'node:stream'
import { MalformedError } from 'sluice/sdk/media'
import { RtspReader } from './wire/message/reader.ts'
import type { InterleavedFrame, RtspRequest, RtspResponse } from './wire/message/message.ts'
import { serializeInterleaved } from './media/interleaved-framing.ts'

/** The most bytes of messages and reports that wait in this process for a peer that does not read; media is bounded by its source. */
const MAX_QUEUE_BYTES = 256 * 1024
/** The longest time in which the last messages may reach a peer before its connection is cut. */
const LINGER_MS = 2000

/** The reason of a connection that its other end has closed. */
export const PEER_LEFT = 'the peer left'

type ConnectionEvents = {
  /** A request or response. */
  message(message: RtspRequest | RtspResponse): void
  /** Takes media or a report; the payload belongs to the callee. */
  frame(frame: InterleavedFrame): void
  /** True when media may come on the channel. */
  isChannel(channel: number): boolean
  /** The connection has ended; called once. */
  closed(reason: string): void
}

/** RTSP over one byte stream, for either end: messages, with interleaved frames between them (RFC 2326 10.12). */
export class RtspConnection {
  readonly stream: Duplex
  readonly reader: RtspReader
  readonly #events: ConnectionEvents
  #queueBytes = 0
  #closeReason: string | undefined
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  readonly #onData = (bytes: Buffer) => this.#receive(bytes)
  readonly #onError = (error: Error) => this.#ended(error.message)
  readonly #onEnd = () => this.close(PEER_LEFT)
  readonly #onClose = () => this.#ended(PEER_LEFT)

  constructor(stream: Duplex, events: ConnectionEvents) {
    this.stream = stream
    this.#events = events
    this.reader = new RtspReader((channel) => events.isChannel(channel))
    stream.on('data', this.#onData).on('error', this.#onError).on('end', this.#onEnd).on('close', this.#onClose)
  }

  get closed(): boolean {
    return this.#closeReason !== undefined
  }

  /** Closes the connection when {@link expectNothing} is not called in time. */
  expectWithin(timeoutMs: number, reason: string): void {
    clearTimeout(this.#timer)
    if (!this.closed) this.#timer = setTimeout(() => this.close(reason), timeoutMs)
  }

  expectNothing(): void {
    clearTimeout(this.#timer)
  }

  /** Reads nothing further until {@link resume}. */
  pause(): void {
    this.#isPaused = true
    this.stream.pause()
  }

  resume(): void {
    if (!this.#isPaused || this.closed) return
    this.#isPaused = false
    this.#readMessages()
    if (!this.#isPaused && !this.closed) this.stream.resume()
  }

  /** Sends a message, as it was serialized. */
  send(bytes: Buffer): void {
    if (this.closed) return
    this.#queueBytes += bytes.length
    if (this.#queueBytes > MAX_QUEUE_BYTES) {
      return this.cut(`the peer does not read: ${this.#queueBytes} bytes of answers wait for it`)
    }
    this.stream.write(bytes, () => (this.#queueBytes -= bytes.length))
  }

  /** Sends a packet on a channel. */
  sendFrame(channel: number, packet: Buffer): void {
    this.send(serializeInterleaved(channel, packet))
  }

  /** Hands the byte stream over with the bytes that were read and not used; no event is called after this. */
  release(): { readonly stream: Duplex; readonly rest: Buffer } {
    const { stream } = this
    clearTimeout(this.#timer)
    this.#closeReason = 'released'
    stream.off('data', this.#onData).off('error', this.#onError).off('end', this.#onEnd).off('close', this.#onClose)
    stream.on('error', () => stream.destroy())
    return { stream, rest: this.reader.takeRest() }
  }

  /** Ends the connection when the data sent have left, or after a while in any case. Idempotent. */
  close(reason: string): void {
    if (this.closed) return
    this.#ended(reason)
    this.stream.end()
    const cut = setTimeout(() => this.stream.destroy(), LINGER_MS)
    this.stream.once('close', () => clearTimeout(cut))
  }

  /** Ends the connection without waiting for the data sent to leave. */
  cut(reason: string): void {
    this.#ended(reason)
    this.stream.destroy()
  }

  #ended(reason: string): void {
    if (this.closed) return
    this.#closeReason = reason
    clearTimeout(this.#timer)
    this.#events.closed(reason)
  }

  #receive(bytes: Buffer): void {
    if (this.closed) return
    this.reader.push(bytes)
    if (!this.#isPaused) this.#readMessages()
  }

  #readMessages(): void {
    try {
      while (!this.closed && !this.#isPaused) {
        const message = this.reader.read()
        if (message === null) return
        if (message.kind === 'interleaved') this.#events.frame(message)
        else this.#events.message(message)
      }
    } catch (error) {
      if (error instanceof MalformedError) return this.cut(`malformed: ${error.message}`)
      this.cut('failed')
      throw error
    }
  }
}
