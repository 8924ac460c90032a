import type { Socket } from 'node:net'
import { MalformedError } from 'sluice/sdk/media'
import { AckWindow } from './wire/ack-window.ts'
import { ChunkReader } from './wire/chunk/chunk-reader.ts'
import { serializeChunks } from './wire/chunk/chunk-writer.ts'
import {
  DEFAULT_CHUNK_SIZE_BYTES,
  MAX_PARTIAL_COMMAND_SIZE_BYTES,
  MAX_PARTIAL_SIZE_BYTES,
} from './wire/chunk/limits.ts'
import type { Handshake } from './wire/handshake/handshake.ts'
import { CHUNK_STREAM_ID, type RawMessage } from './wire/message/raw-message.ts'
import { parseMessage, serializeMessage, type Message } from './wire/message/message.ts'

/** A peer must get through the handshake, and then ask for a stream, within this. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** Most bytes of answers that wait for a peer that does not read. */
const MAX_ANSWER_QUEUE_BYTES = 1024 * 1024
/** How long the last answers may take to reach a peer before its connection is cut. */
const LINGER_MS = 2000
/** The window we ask the peer to acknowledge. */
const WINDOW_ACK_SIZE_BYTES = 5_000_000

type ConnectionEvents = {
  /** A message for the layer above. While a returned promise is pending, no further bytes are read from the socket. */
  message(message: Message, raw: RawMessage): Promise<void> | undefined
  /** The connection has ended; called once. */
  closed(reason: string): void
}

/**
 * RTMP over one socket, below commands and streams: handshake, chunks, acknowledgements, pings. Serves either end; the
 * handshake tells which.
 */
export class Connection {
  readonly socket: Socket
  readonly #events: ConnectionEvents
  /** Let go once it is over: its buffers are most of what a connection would hold. */
  #handshake: Handshake | undefined
  readonly #reader = new ChunkReader()
  readonly #ackWindow = new AckWindow()
  #chunkSizeOut = DEFAULT_CHUNK_SIZE_BYTES
  #answerQueueBytes = 0
  #busy = false
  #closeReason: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(socket: Socket, events: ConnectionEvents, handshake: Handshake) {
    this.socket = socket
    this.#events = events
    this.#handshake = handshake
    this.#reader.maxPartialBytes = MAX_PARTIAL_COMMAND_SIZE_BYTES
    this.expectWithin(HANDSHAKE_TIMEOUT_MS, 'handshake timeout')
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('error', (error) => this.#ended(error.message))
    // What it has not taken may never leave, as a half-open connection lasts; hence a close with its deadline.
    socket.on('end', () => this.close('the peer left'))
    socket.on('close', () => this.#ended('the peer left'))
  }

  get closed(): boolean {
    return this.#closeReason !== undefined
  }

  /** Closes the connection when {@link expectNothing} is not called in time. */
  expectWithin(timeoutMs: number, reason: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.close(reason), timeoutMs)
  }

  expectNothing(): void {
    clearTimeout(this.#timer)
  }

  /** The peer has leave to send media, which may be large; until it has, it can occupy no more memory than commands take. */
  expectMedia(): void {
    this.#reader.maxPartialBytes = MAX_PARTIAL_SIZE_BYTES
  }

  /** Sends a message at once; time 0 unless given. */
  send(message: Message, messageStreamId = 0): void {
    if (this.closed) return
    if (this.#answerQueueBytes > MAX_ANSWER_QUEUE_BYTES) return this.cut('the peer does not read')
    const { typeId, payload } = serializeMessage(message)
    const command = message.kind === 'command' || message.kind === 'data'
    const chunkStreamId = command ? CHUNK_STREAM_ID.command : CHUNK_STREAM_ID.control
    const header = { chunkStreamId, typeId, messageStreamId, timestamp: 0 }
    const bytes = serializeChunks(header, [payload], this.#chunkSizeOut)
    // Media is bounded where it comes from, and must not count here.
    this.#answerQueueBytes += bytes.length
    this.socket.write(bytes, () => (this.#answerQueueBytes -= bytes.length))
  }

  /** Announces the sizes we use; what is sent after it comes in chunks of that size. */
  announce(chunkSizeBytes: number): void {
    this.send({ kind: 'windowAckSize', sizeBytes: WINDOW_ACK_SIZE_BYTES })
    this.send({ kind: 'setPeerBandwidth', sizeBytes: WINDOW_ACK_SIZE_BYTES, limit: 'dynamic' })
    this.send({ kind: 'setChunkSize', sizeBytes: chunkSizeBytes })
    this.#chunkSizeOut = chunkSizeBytes
  }

  /** Ends the connection after what was sent has left, or after a while in any case. Idempotent. */
  close(reason: string): void {
    if (this.closed) return
    this.#ended(reason)
    this.socket.destroySoon()
    const cut = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.once('close', () => clearTimeout(cut))
  }

  /** Ends it without waiting for what was sent. */
  cut(reason: string): void {
    this.#ended(reason)
    this.socket.destroy()
  }

  #ended(reason: string): void {
    if (this.closed) return
    this.#closeReason = reason
    clearTimeout(this.#timer)
    this.#events.closed(reason)
  }

  #receive(bytes: Buffer): void {
    if (this.closed) return
    try {
      const acknowledge = this.#ackWindow.receive(bytes.length)
      if (this.#handshake !== undefined) return this.#receiveHandshake(this.#handshake, bytes)
      if (acknowledge !== null) this.send({ kind: 'acknowledgement', receivedBytes: acknowledge })
      this.#reader.push(bytes)
      this.#readMessages()
    } catch (error) {
      this.#fail(error)
    }
  }

  #receiveHandshake(handshake: Handshake, bytes: Buffer): void {
    const { reply, done, rest } = handshake.push(bytes)
    if (reply !== undefined) this.socket.write(reply)
    if (!done) return
    this.#handshake = undefined
    this.expectWithin(HANDSHAKE_TIMEOUT_MS, 'no stream was asked for in time')
    if (rest === undefined) return
    this.#reader.push(rest)
    this.#readMessages()
  }

  #readMessages(): void {
    while (!this.#busy && !this.closed) {
      const raw = this.#reader.read()
      if (raw === null) return
      const pending = this.#dispatch(raw)
      if (pending !== undefined) this.#waitFor(pending)
    }
  }

  #waitFor(pending: Promise<void>): void {
    this.#busy = true
    this.socket.pause()
    const resume = () => {
      this.#busy = false
      if (this.closed) return
      this.socket.resume()
      this.#readMessages()
    }
    pending.then(resume).catch((error: unknown) => this.#fail(error))
  }

  #dispatch(raw: RawMessage): Promise<void> | undefined {
    const message = parseMessage(raw)
    if (message === null) return undefined
    switch (message.kind) {
      case 'acknowledgement':
      case 'setPeerBandwidth':
      case 'pingResponse':
        return undefined
      case 'windowAckSize':
        this.#ackWindow.setSize(message.sizeBytes)
        return undefined
      case 'pingRequest':
        this.send({ kind: 'pingResponse', timestampMs: message.timestampMs })
        return undefined
      default:
        return this.#events.message(message, raw)
    }
  }

  #fail(error: unknown): void {
    if (error instanceof MalformedError) return this.cut(`malformed: ${error.message}`)
    this.cut('failed')
    throw error
  }
}
