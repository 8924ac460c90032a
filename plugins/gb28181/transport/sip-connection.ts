import type { Socket } from 'node:net'
import { MalformedError } from 'sluice/sdk/media'
import type { SipMessage } from '../sip/message.ts'
import { SipStreamReader } from '../sip/stream-reader.ts'

/** A connection that has sent no message this long after it was made is closed. */
const FIRST_MESSAGE_MS = 30_000
/** A connection without any bytes for this long is closed: devices send a sign of life each minute. */
const IDLE_MS = 15 * 60_000
/** The most bytes that wait for a peer that does not read. */
const MAX_WAITING_BYTES = 1024 * 1024

export type SipConnectionInit = {
  readonly socket: Socket
  readonly onMessage: (message: SipMessage) => void
  /** The connection has ended; `fault` says why where the peer is to blame. */
  readonly onEnd: (fault?: string) => void
}

/** A connection of TCP or TLS, on which messages come one after another. */
export class SipConnection {
  readonly #init: SipConnectionInit
  readonly #reader = new SipStreamReader()
  #hasSpoken = false

  constructor(init: SipConnectionInit) {
    this.#init = init
    const { socket } = init
    socket.setTimeout(FIRST_MESSAGE_MS)
    socket.on('data', this.#onData).on('error', this.#onError).on('timeout', this.#onTimeout).on('close', this.#onClose)
  }

  /** Sends a message; returns false when the peer takes nothing any more. */
  send(message: Buffer): boolean {
    const { socket } = this.#init
    if (!socket.writable) return false
    if (socket.writableLength > MAX_WAITING_BYTES) {
      socket.destroy()
      return false
    }
    socket.write(message)
    return true
  }

  close(): void {
    this.#init.socket.destroy()
  }

  /** Leaves the socket to another generation, with the bytes of a message that has come in part. */
  release(): Socket {
    const { socket } = this.#init
    socket.off('data', this.#onData).off('error', this.#onError)
    socket.off('timeout', this.#onTimeout).off('close', this.#onClose)
    const { heldBytes } = this.#reader
    if (heldBytes.length > 0) socket.unshift(heldBytes)
    return socket
  }

  readonly #onData = (bytes: Buffer) => {
    try {
      for (const message of this.#reader.push(bytes)) {
        if (!this.#hasSpoken) this.#init.socket.setTimeout(IDLE_MS)
        this.#hasSpoken = true
        this.#init.onMessage(message)
      }
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#end(error.message)
    }
  }

  readonly #onError = (error: Error) => this.#end(error.message)

  readonly #onTimeout = () => this.#end(this.#hasSpoken ? 'it was silent' : 'it sent no message')

  readonly #onClose = () => this.#end()

  #end(fault?: string): void {
    this.release().on('error', () => {})
    this.#init.socket.destroy()
    this.#init.onEnd(fault)
  }
}
