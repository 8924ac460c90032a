import { randomFillSync } from 'node:crypto'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isAmfObject, newAmfObject, type AmfValue } from 'sluice/sdk/media'
import { ChunkReader } from '../../../plugins/rtmp/wire/chunk/chunk-reader.ts'
import { serializeChunks } from '../../../plugins/rtmp/wire/chunk/chunk-writer.ts'
import { ClientHandshake } from '../../../plugins/rtmp/wire/handshake/client-handshake.ts'
import type { Command } from '../../../plugins/rtmp/wire/message/command.ts'
import { parseMessage, serializeMessage, type Message } from '../../../plugins/rtmp/wire/message/message.ts'
import { CHUNK_STREAM_ID, type RawMessage } from '../../../plugins/rtmp/wire/message/raw-message.ts'

export type RtmpClientOptions = { readonly port: number; readonly tls?: boolean }

const CHUNK_SIZE_BYTES = 65_536

/** A well-behaved RTMP client that can be made to misbehave: what it sends is up to the test. */
export class RtmpClient {
  readonly socket: Socket
  /** When it began to connect. */
  readonly since = new Date().toISOString()
  /** Codes of the `onStatus` commands that came. */
  readonly statuses: string[] = []
  /** Gets the media messages. */
  onMedia: (message: RawMessage) => void = () => {}
  readonly #handshake = new ClientHandshake({ random: randomFillSync })
  readonly #reader = new ChunkReader()
  readonly #handshaken = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<void>()
  readonly #waiting: { readonly matches: (command: Command) => boolean; readonly found: () => void }[] = []
  #isHandshaken = false

  constructor({ port, tls = false }: RtmpClientOptions) {
    this.socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connectTcp({ port, host: '127.0.0.1' })
    this.socket.setNoDelay(true)
    this.socket.on('error', () => {})
    this.socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    this.socket.once('close', () => this.#closed.resolve())
    this.socket.write(this.#handshake.start())
  }

  /** Opens a connection to a point where `createStream` was answered with 1. */
  static async connect(options: RtmpClientOptions, app = 'live'): Promise<RtmpClient> {
    const client = new RtmpClient(options)
    await client.handshaken
    client.send({ kind: 'setChunkSize', sizeBytes: CHUNK_SIZE_BYTES })
    const properties = Object.assign(newAmfObject(), { app, tcUrl: `rtmp://localhost/${app}`, flashVer: 'test' })
    client.send({ ...command('connect', 1), commandObject: properties })
    client.send(command('createStream', 2))
    await client.answer((answer) => answer.name === '_result' && answer.transactionId === 2)
    return client
  }

  /** The connection to a publisher that was admitted. */
  static async publish(options: RtmpClientOptions, name: string): Promise<RtmpClient> {
    const client = await RtmpClient.connect(options)
    client.send(command('publish', 0, name, 'live'), 1)
    await client.status('NetStream.Publish.Start')
    return client
  }

  /** The connection of a player that was admitted. */
  static async play(
    options: RtmpClientOptions,
    name: string,
    onMedia: (message: RawMessage) => void,
  ): Promise<RtmpClient> {
    const client = await RtmpClient.connect(options)
    client.onMedia = onMedia
    client.send(command('play', 0, name), 1)
    await client.status('NetStream.Play.Start')
    return client
  }

  get handshaken(): Promise<void> {
    return this.#handshaken.promise
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /** The port it comes from: the server's log names its connection by it. */
  get port(): number {
    return this.socket.localPort ?? 0
  }

  send(message: Message, messageStreamId = 0, timestamp = 0): void {
    this.socket.write(messageBytes(message, messageStreamId, timestamp))
  }

  /** Waits until a command came for which the condition holds. */
  answer(matches: (command: Command) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ matches, found: resolve })
      void this.closed.then(() => reject(new Error('the server closed the connection')))
    })
  }

  status(code: string): Promise<void> {
    return this.answer(() => this.statuses.includes(code))
  }

  close(): void {
    this.socket.destroy()
  }

  #receive(bytes: Buffer): void {
    if (this.#isHandshaken) this.#reader.push(bytes)
    else {
      const { reply, done, rest } = this.#handshake.push(bytes)
      if (reply !== undefined) this.socket.write(reply)
      this.#isHandshaken = done
      if (done) this.#handshaken.resolve()
      if (rest !== undefined) this.#reader.push(rest)
    }
    for (let raw = this.#reader.read(); raw !== null; raw = this.#reader.read()) this.#message(raw)
  }

  #message(raw: RawMessage): void {
    if (raw.typeId === 8 || raw.typeId === 9) return this.onMedia(raw)
    const message = parseMessage(raw)
    if (message?.kind !== 'command') return
    const [info] = message.args
    const code = message.name === 'onStatus' && isAmfObject(info) ? info['code'] : undefined
    if (typeof code === 'string') this.statuses.push(code)
    for (const { matches, found } of this.#waiting) if (matches(message)) found()
  }
}

export function command(name: string, transactionId: number, ...args: readonly AmfValue[]): Command {
  return { kind: 'command', name, transactionId, commandObject: null, args, amf3: false }
}

/** A message in chunks, as a client that has announced its chunk size sends it. */
export function messageBytes(message: Message, messageStreamId = 0, timestamp = 0): Buffer {
  const { typeId, payload } = serializeMessage(message)
  const chunkStreamId =
    message.kind === 'command' ? CHUNK_STREAM_ID.command : message.kind === 'video' ? CHUNK_STREAM_ID.video : 2
  return serializeChunks({ chunkStreamId, typeId, messageStreamId, timestamp }, [payload], CHUNK_SIZE_BYTES)
}
