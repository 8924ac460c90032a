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
import { carriesMedia } from './wire/message/message-type.ts'
import { parseMessage, serializeMessage, type Message } from './wire/message/message.ts'
import { chunkStreamOf, type RawMessage } from './wire/message/raw-message.ts'
import { CHUNKS_PER_WORK, WORK_PER_TURN, workOf } from './work.ts'

/** A peer must get through the handshake within this. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** Most bytes of answers that wait in this process for a peer that does not read; the system holds some more. */
const MAX_ANSWER_QUEUE_BYTES = 256 * 1024
/** The longest time in which the last answers may reach a peer before its connection is cut. */
const LINGER_MS = 2000
/** The window we ask the peer to acknowledge. */
const WINDOW_ACK_SIZE_BYTES = 5_000_000
/** A read this large may be followed by another in the same turn of the event loop; after {@link MAX_FULL_READS}, a turn ends. */
const FULL_READ_BYTES = 64 * 1024
const MAX_FULL_READS = 8

type ConnectionEvents = {
  /**
   * A command, or a user control message that is not dealt with here. While a returned promise is pending, nothing
   * further is read from the socket.
   */
  message(message: Message, raw: RawMessage): Promise<void> | undefined
  /** A message with media or data, unparsed; see {@link carriesMedia}. */
  media(raw: RawMessage): void
  /** The peer has sent a ping, or answered one: it is present, with or without media. */
  alive?(): void
  /** The handshake is over. */
  handshaken(): void
  /** The connection has ended; called once. */
  closed(reason: string): void
}

/**
 * RTMP over one socket, below commands and streams: handshake, chunks, acknowledgements, pings. The handshake decides which end it is.
 *
 * A connection does a bounded amount of work in one turn of the event loop; further messages wait for the next one, after the other
 * connections, and the socket is not read meanwhile. The answers of a turn leave in one write.
 */
export class Connection {
  readonly socket: Socket
  readonly #events: ConnectionEvents
  /** The handshake; undefined once it is over, as its buffers are most of the memory of a connection. */
  #handshake: Handshake | undefined
  readonly #reader = new ChunkReader()
  readonly #ackWindow = new AckWindow()
  #chunkSizeOut = DEFAULT_CHUNK_SIZE_BYTES
  #fullReads = 0
  #inTurn = false
  /** It waits for its next turn, or for a command to be done; the socket is paused. */
  #waits = false
  /** The answers of this turn. */
  #answers: Buffer[] = []
  #answerQueueBytes = 0
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
    // Data that the peer has not read may never leave a half-open connection, so this close has a deadline.
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

  /** The peer may send media, which may be large; before this call its messages can take no more memory than commands do. */
  expectMedia(): void {
    this.#reader.maxPartialBytes = MAX_PARTIAL_SIZE_BYTES
  }

  /** Sends a message other than media, with time 0: at once, or at the end of the turn in which messages are read. */
  send(message: Message, messageStreamId = 0): void {
    if (this.closed) return
    const { typeId, payload } = serializeMessage(message)
    const header = { chunkStreamId: chunkStreamOf(typeId), typeId, messageStreamId, timestamp: 0 }
    this.#answers.push(serializeChunks(header, [payload], this.#chunkSizeOut))
    if (!this.#inTurn) this.#sendAnswers()
  }

  /** Sends media or data at once, and returns its size on the wire. The caller has to bound the bytes that wait. */
  sendMedia(typeId: number, messageStreamId: number, timestamp: number, parts: readonly Buffer[]): number {
    if (this.closed) return 0
    this.#sendAnswers()
    const chunkStreamId = chunkStreamOf(typeId)
    const bytes = serializeChunks({ chunkStreamId, typeId, messageStreamId, timestamp }, parts, this.#chunkSizeOut)
    this.socket.write(bytes)
    return bytes.length
  }

  /** Announces the window and the bandwidth that a server asks for, and the size of its chunks. */
  announce(chunkSizeBytes: number): void {
    this.send({ kind: 'windowAckSize', sizeBytes: WINDOW_ACK_SIZE_BYTES })
    this.send({ kind: 'setPeerBandwidth', sizeBytes: WINDOW_ACK_SIZE_BYTES, limit: 'dynamic' })
    this.announceChunkSize(chunkSizeBytes)
  }

  /** Announces `sizeBytes` as the size of the chunks that are sent from now on. */
  announceChunkSize(sizeBytes: number): void {
    this.send({ kind: 'setChunkSize', sizeBytes })
    this.#chunkSizeOut = sizeBytes
  }

  /** Ends the connection when the data sent have left, or after a while in any case. Idempotent. */
  close(reason: string): void {
    if (!this.closed) this.#sendAnswers()
    if (this.closed) return
    this.#ended(reason)
    this.socket.destroySoon()
    const cut = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.once('close', () => clearTimeout(cut))
  }

  /** Ends the connection without waiting for the data sent to leave. */
  cut(reason: string): void {
    this.#ended(reason)
    this.socket.destroy()
  }

  #ended(reason: string): void {
    if (this.closed) return
    this.#closeReason = reason
    this.#answers = []
    clearTimeout(this.#timer)
    this.#events.closed(reason)
  }

  #receive(bytes: Buffer): void {
    if (this.closed) return
    try {
      this.countReceived(bytes.length)
      if (this.#handshake !== undefined) return this.#receiveHandshake(this.#handshake, bytes)
      this.#reader.push(bytes)
    } catch (error) {
      return this.#fail(error)
    }
    if (this.#waits) return
    this.#takeTurn()
    this.#fullReads = bytes.length < FULL_READ_BYTES ? 0 : this.#fullReads + 1
    if (this.#fullReads >= MAX_FULL_READS && !this.#waits && !this.closed) this.#waitForTurn()
  }

  /** Counts bytes that came in, and acknowledges them when that is due. For bytes that do not pass through the socket's `data` event. */
  countReceived(sizeBytes: number): void {
    const receivedBytes = this.#ackWindow.receive(sizeBytes)
    if (receivedBytes !== null) this.send({ kind: 'acknowledgement', receivedBytes })
  }

  #receiveHandshake(handshake: Handshake, bytes: Buffer): void {
    const { reply, done, rest } = handshake.push(bytes)
    if (reply !== undefined) this.socket.write(reply)
    if (!done) return
    this.#handshake = undefined
    this.expectNothing()
    this.#events.handshaken()
    if (rest === undefined) return
    this.#reader.push(rest)
    this.#takeTurn()
  }

  /** Reads messages until there are no more, or the turn's work is done. */
  #takeTurn(): void {
    this.#inTurn = true
    try {
      const firstChunk = this.#reader.chunkCount
      let work = 0
      while (!this.closed && !this.#waits && work < WORK_PER_TURN) {
        const raw = this.#reader.read()
        if (raw === null) break
        work += workOf(raw)
        const pending = this.#dispatch(raw)
        if (pending !== undefined) this.#waitFor(pending)
      }
      work += (this.#reader.chunkCount - firstChunk) / CHUNKS_PER_WORK
      if (work >= WORK_PER_TURN && !this.closed && !this.#waits) this.#waitForTurn()
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#inTurn = false
    }
    this.#sendAnswers()
  }

  #waitForTurn(): void {
    this.#wait()
    setImmediate(() => this.#goOn())
  }

  // A command that is done at once counts as a turn as well: many of them must not follow each other in one.
  #waitFor(pending: Promise<void>): void {
    this.#wait()
    pending.then(() => setImmediate(() => this.#goOn())).catch((error: unknown) => this.#fail(error))
  }

  #wait(): void {
    this.#waits = true
    this.socket.pause()
  }

  #goOn(): void {
    if (this.closed) return
    this.#waits = false
    this.#fullReads = 0
    this.#takeTurn()
    if (!this.#waits && !this.closed) this.socket.resume()
  }

  #dispatch(raw: RawMessage): Promise<void> | undefined {
    if (carriesMedia(raw.typeId)) {
      this.#events.media(raw)
      return undefined
    }
    const message = parseMessage(raw)
    if (message === null) return undefined
    switch (message.kind) {
      case 'acknowledgement':
      case 'setPeerBandwidth':
        return undefined
      case 'pingResponse':
        return void this.#events.alive?.()
      case 'windowAckSize':
        this.#ackWindow.setSize(message.sizeBytes)
        return undefined
      case 'pingRequest':
        this.send({ kind: 'pingResponse', timestampMs: message.timestampMs })
        return void this.#events.alive?.()
      default:
        return this.#events.message(message, raw)
    }
  }

  #sendAnswers(): void {
    if (this.#answers.length === 0 || this.closed) return
    const [first] = this.#answers
    const bytes = this.#answers.length === 1 && first !== undefined ? first : Buffer.concat(this.#answers)
    this.#answers = []
    // Media is bounded by its source, and must not count here.
    this.#answerQueueBytes += bytes.length
    if (this.#answerQueueBytes > MAX_ANSWER_QUEUE_BYTES) {
      return this.cut(`the peer does not read: ${this.#answerQueueBytes} bytes of answers wait for it`)
    }
    this.socket.write(bytes, () => (this.#answerQueueBytes -= bytes.length))
  }

  #fail(error: unknown): void {
    if (error instanceof MalformedError) return this.cut(`malformed: ${error.message}`)
    this.cut('failed')
    throw error
  }
}
