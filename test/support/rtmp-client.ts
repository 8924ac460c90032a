import { randomFillSync } from 'node:crypto'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isAmfObject, newAmfObject, type AmfObject, type AmfValue, type FlvTag } from 'sluice/sdk/media'
import { Connection } from '../../plugins/rtmp/connection.ts'
import { serializeChunks } from '../../plugins/rtmp/wire/chunk/chunk-writer.ts'
import { ClientHandshake } from '../../plugins/rtmp/wire/handshake/client-handshake.ts'
import type { Command } from '../../plugins/rtmp/wire/message/command.ts'
import type { Message } from '../../plugins/rtmp/wire/message/message.ts'
import type { RawMessage } from '../../plugins/rtmp/wire/message/raw-message.ts'
import { parseRtmpUrl, type RtmpUrl } from '../../plugins/rtmp/wire/url.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FlvFrames } from './flv-frames.ts'

const CHUNK_SIZE_BYTES = 4096
/** S0, S1 and S2. */
const HANDSHAKE_SIZE_BYTES = 1 + 2 * 1536
const CAPS_EX_MULTITRACK = 0x02

export type RtmpClientInit = {
  /** `rtmp://…` or `rtmps://…`; no certificate is asked for. */
  readonly url: string
  /** Sends commands in messages of AMF3's type. */
  readonly amf3?: boolean
  /** Says that several tracks of a kind are understood (enhanced RTMP v2). */
  readonly multitrack?: boolean
}

/** One RTMP connection that publishes or plays. It leaves with the test that made it, at the latest. */
export class RtmpClient {
  readonly received = new FlvFrames()
  /** The `onStatus` codes that came, in order. */
  readonly statuses: string[] = []
  /** All commands that came. */
  readonly commands: Command[] = []
  /** Resolves when the connection has ended. */
  readonly closed: Promise<string>
  readonly #connection: Connection
  readonly #url: RtmpUrl
  readonly #amf3: boolean
  #transactionId = 0
  #streamId = 0

  private constructor(init: RtmpClientInit, url: RtmpUrl) {
    this.#url = url
    this.#amf3 = init.amf3 ?? false
    const { promise, resolve } = Promise.withResolvers<string>()
    this.closed = promise
    const { host, port } = url
    const socket = url.tls ? connectTls({ host, port, rejectUnauthorized: false }) : connectTcp({ host, port })
    const handshake = new ClientHandshake({ random: randomFillSync })
    const events = { message: (message: Message, raw: RawMessage) => this.#message(message, raw), closed: resolve }
    this.#connection = new Connection(socket, events, handshake)
    socket.write(handshake.start())
    void this.closed.then(keep(this))
  }

  /** Connects, and creates a message stream. */
  static async connect(init: RtmpClientInit): Promise<RtmpClient> {
    const url = parseRtmpUrl(init.url)
    const client = new RtmpClient(init, url)
    await client.#handshaken()
    await client.call('connect', client.#connectProperties(init))
    client.#connection.expectNothing()
    client.#connection.announce(CHUNK_SIZE_BYTES)
    const [streamId] = (await client.call('createStream', null)).args
    client.#streamId = Number(streamId)
    return client
  }

  /** Connects and asks to publish; resolves when the server has agreed. */
  static async publish(init: RtmpClientInit): Promise<RtmpClient> {
    const client = await RtmpClient.connect(init)
    client.#command('publish', 0, null, [client.#url.name, 'live'])
    await client.waitForStatus('NetStream.Publish.Start')
    return client
  }

  /** Connects and asks to play, but does not wait for the answer. */
  static async play(init: RtmpClientInit): Promise<RtmpClient> {
    const client = await RtmpClient.connect(init)
    client.#command('play', 0, null, [client.#url.name])
    return client
  }

  /** Calls a command of the server's and resolves with its answer, `_result` or `_error`. */
  async call(name: string, commandObject: AmfValue, ...args: readonly AmfValue[]): Promise<Command> {
    const id = ++this.#transactionId
    this.#command(name, id, commandObject, args)
    return waitFor(
      () => this.commands.find((command) => command.name.startsWith('_') && command.transactionId === id),
      { what: `an answer to ${name}` },
    )
  }

  /** Sends a command that asks for no answer. */
  tell(name: string, ...args: readonly AmfValue[]): void {
    this.#command(name, 0, null, args)
  }

  async waitForStatus(code: string): Promise<void> {
    try {
      await waitFor(() => this.statuses.includes(code), { what: code })
    } catch (cause) {
      throw new Error(`waited for ${code}, and got ${this.statuses.join(', ')}`, { cause })
    }
  }

  /** Whether a status came before the connection was closed. */
  async isTold(code: string): Promise<boolean> {
    let isClosed = false
    void this.closed.then(() => (isClosed = true))
    await waitFor(() => isClosed || this.statuses.includes(code), { what: `${code} or the end` })
    return this.statuses.includes(code)
  }

  /** Sends a tag's body as a media or data message. */
  send({ type, timestampMs, body }: FlvTag): void {
    const chunkStreamId = { 8: 4, 9: 6, 18: 5 }[type]
    const header = { chunkStreamId, typeId: type, messageStreamId: this.#streamId, timestamp: timestampMs }
    this.#connection.socket.write(serializeChunks(header, [body], CHUNK_SIZE_BYTES))
  }

  close(): void {
    this.#connection.cut('closed by the test')
  }

  async #handshaken(): Promise<void> {
    const { socket } = this.#connection
    await waitFor(() => socket.bytesRead >= HANDSHAKE_SIZE_BYTES, { what: 'the handshake' })
  }

  #connectProperties({ multitrack }: RtmpClientInit): AmfObject {
    const { app, tcUrl } = this.#url
    const capsEx = multitrack === true ? { capsEx: CAPS_EX_MULTITRACK } : {}
    return Object.assign(newAmfObject(), {
      app,
      tcUrl,
      flashVer: 'test',
      objectEncoding: this.#amf3 ? 3 : 0,
      ...capsEx,
    })
  }

  #command(name: string, transactionId: number, commandObject: AmfValue, args: readonly AmfValue[]): void {
    const command: Command = { kind: 'command', name, transactionId, commandObject, args, amf3: this.#amf3 }
    this.#connection.send(command, this.#streamId)
  }

  #message(message: Message, raw: RawMessage): undefined {
    const { timestamp: timestampMs } = raw
    if (message.kind === 'command') this.#answered(message)
    else if (message.kind === 'video') this.received.push({ type: 9, timestampMs, body: message.payload })
    else if (message.kind === 'audio') this.received.push({ type: 8, timestampMs, body: message.payload })
    else if (message.kind === 'data') this.received.push({ type: 18, timestampMs, body: raw.payload })
  }

  #answered(command: Command): void {
    this.commands.push(command)
    const [information] = command.args
    if (command.name !== 'onStatus' || !isAmfObject(information)) return
    const { code } = information
    if (typeof code === 'string') this.statuses.push(code)
  }
}
