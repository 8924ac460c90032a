import { isAmfObject, type FlvTag } from 'sluice/sdk/media'
import { RtmpClient as Client } from '../../plugins/rtmp/client/rtmp-client.ts'
import type { Command } from '../../plugins/rtmp/wire/message/command.ts'
import type { RawMessage } from '../../plugins/rtmp/wire/message/raw-message.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FlvFrames } from './flv-frames.ts'
import { rtmpSocket } from './rtmp-socket.ts'

const MEDIA_TYPES: readonly number[] = [8, 9, 18]

export type RtmpClientInit = {
  /** `rtmp://…` or `rtmps://…`; no certificate is asked for. */
  readonly url: string
  /** Sends commands in messages of AMF3's type. */
  readonly amf3?: boolean
  /** Says that several tracks of a kind are understood (enhanced RTMP v2). */
  readonly multitrack?: boolean
  /** Takes the media that comes, which is not kept then. */
  readonly onTag?: (tag: FlvTag) => void
}

/** One RTMP connection that publishes or plays, and keeps all that comes. It leaves with the test that made it, at the latest. */
export class RtmpClient {
  readonly received = new FlvFrames()
  /** The `onStatus` codes that came, in order. */
  readonly statuses: string[] = []
  /** All commands that came. */
  readonly commands: Command[] = []
  readonly #client: Client
  readonly #onTag: (tag: FlvTag) => void

  private constructor({ onTag, ...init }: RtmpClientInit) {
    this.#onTag = onTag ?? ((tag) => this.received.push(tag))
    this.#client = new Client({
      // It takes all that enhanced RTMP has.
      properties: { fourCcList: ['*'] },
      ...init,
      socket: rtmpSocket(init.url),
      onMedia: (raw) => this.#receive(raw),
      onCommand: (command) => this.#note(command),
    })
    void this.closed.then(keep(this))
  }

  /** Connects, and creates a message stream. */
  static async connect(init: RtmpClientInit): Promise<RtmpClient> {
    const client = new RtmpClient(init)
    await client.#client.connect()
    return client
  }

  /** Connects and asks to publish; resolves when the server has agreed. */
  static async publish(init: RtmpClientInit): Promise<RtmpClient> {
    const client = await RtmpClient.connect(init)
    await client.#client.publish()
    return client
  }

  /** Connects and asks to play, but does not wait for the answer. */
  static async play(init: RtmpClientInit): Promise<RtmpClient> {
    const client = await RtmpClient.connect(init)
    client.#client.play().catch(() => {})
    return client
  }

  /** Resolves with the reason when the connection has ended. */
  get closed(): Promise<string> {
    return this.#client.closed
  }

  /** Calls a command of the server's and resolves with its answer, `_result` or `_error`. */
  call(...args: Parameters<Client['call']>): Promise<Command> {
    return this.#client.call(...args)
  }

  /** Sends a command that asks for no answer. */
  tell(...args: Parameters<Client['tell']>): void {
    this.#client.tell(...args)
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
    this.#client.sendMedia(type, timestampMs, [body])
  }

  close(): void {
    this.#client.close('closed by the test')
  }

  #receive({ typeId, timestamp, payload }: RawMessage): void {
    if (!MEDIA_TYPES.includes(typeId)) return
    this.#onTag({ type: typeId as FlvTag['type'], timestampMs: timestamp, body: payload })
  }

  #note(command: Command): void {
    this.commands.push(command)
    const [information] = command.args
    if (command.name !== 'onStatus' || information === undefined || !isAmfObject(information)) return
    const { code } = information
    if (typeof code === 'string') this.statuses.push(code)
  }
}
