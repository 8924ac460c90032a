import type { Socket } from 'node:net'
import type { TurnQueue } from './turn-queue.ts'

/** The end of a request's head (RFC 9112, 2.1). */
const END_OF_HEAD = Buffer.from('\r\n\r\n')
/** The most bytes that are read at once. Bytes in which no head ends are those of a body, or of a head that is not complete. */
const MAX_SLICE_BYTES = 16 * 1024

/** The reader of a connection. */
export type PacedReader = { readonly onData: (bytes: Buffer) => void; readonly onEnd: () => void }

/**
 * Hands the bytes of a connection to its reader request by request. The first request of a piece is handed on at once; those
 * that a client sends without waiting for an answer take turns with the ones of other clients. The connection is not read
 * further meanwhile.
 */
export class PacedReading {
  readonly #socket: Socket
  readonly #reader: PacedReader
  readonly #queue: TurnQueue
  #rest: Buffer | null = null
  #hasEnded = false
  #stopped = false
  readonly #allowedHalfOpen: boolean

  constructor(socket: Socket, reader: PacedReader, queue: TurnQueue) {
    this.#socket = socket
    this.#reader = reader
    this.#queue = queue
    // The connection may end only after the bytes before its end were read.
    this.#allowedHalfOpen = socket.allowHalfOpen
    socket.allowHalfOpen = true
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('resume', this.#onResume)
    socket.on('close', this.#onClose)
  }

  /**
   * Leaves the connection to another reader.
   * @returns the bytes that were received and not read; null when there are none
   */
  stop(): Buffer | null {
    const rest = this.#rest
    this.#rest = null
    this.#stopped = true
    this.#socket.allowHalfOpen = this.#allowedHalfOpen
    this.#socket.off('data', this.#onData)
    this.#socket.off('end', this.#onEnd)
    this.#socket.off('resume', this.#onResume)
    this.#socket.off('close', this.#onClose)
    return rest
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#rest = bytes
    this.#readSlice()
    if (this.#rest === null) return
    this.#socket.pause()
    this.#queue.add(this.#onTurn)
  }

  /** Pauses the connection again: the reader resumes it with each request, though others are still to be read. */
  readonly #onResume = (): void => {
    if (this.#rest !== null) this.#socket.pause()
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true
    if (this.#rest === null) this.#finish()
  }

  readonly #onClose = (): void => {
    this.stop()
  }

  readonly #onTurn = (): void => {
    if (this.#rest === null) return
    this.#readSlice()
    if (this.#rest !== null) this.#queue.add(this.#onTurn)
    else if (!this.#stopped) this.#goOn()
  }

  #readSlice(): void {
    const bytes = this.#rest
    if (bytes === null) return
    const end = bytes.indexOf(END_OF_HEAD)
    const size = Math.min(end < 0 ? bytes.length : end + END_OF_HEAD.length, MAX_SLICE_BYTES)
    this.#rest = size < bytes.length ? bytes.subarray(size) : null
    this.#reader.onData(bytes.subarray(0, size))
    // The reader closes the connection of a client that asks for too much.
    if (this.#socket.destroyed) this.#rest = null
  }

  #finish(): void {
    this.#reader.onEnd()
    if (!this.#allowedHalfOpen) this.#socket.end()
  }

  #goOn(): void {
    if (this.#hasEnded) this.#finish()
    else if (this.#socket.writableNeedDrain) this.#socket.once('drain', () => this.#socket.resume())
    else this.#socket.resume()
  }
}
