import type { Socket } from 'node:net'
import type { AmfValue } from 'sluice/sdk/media'
import { RtmpClient as Client } from '../../../plugins/rtmp/client/rtmp-client.ts'
import { serializeChunks } from '../../../plugins/rtmp/wire/chunk/chunk-writer.ts'
import type { Command } from '../../../plugins/rtmp/wire/message/command.ts'
import { serializeMessage, type Message } from '../../../plugins/rtmp/wire/message/message.ts'
import { chunkStreamOf, type RawMessage } from '../../../plugins/rtmp/wire/message/raw-message.ts'
import { rtmpSocket } from '../../support/rtmp-socket.ts'

export type RtmpClientOptions = { readonly port: number; readonly tls?: boolean }

const CHUNK_SIZE_BYTES = 65_536

/** A well-behaved RTMP client that can be made to misbehave: what it writes to its socket is up to the test. */
export class RtmpClient {
  /** When it began to connect. */
  readonly since = new Date().toISOString()
  readonly #client: Client
  readonly #waiting = new Set<{ readonly matches: (command: Command) => boolean; readonly found: () => void }>()

  constructor(
    { port, tls = false }: RtmpClientOptions,
    name = 'any',
    onMedia: (message: RawMessage) => void = () => {},
  ) {
    const url = `${tls ? 'rtmps' : 'rtmp'}://127.0.0.1:${port}/live/${name}`
    this.#client = new Client({
      url,
      socket: rtmpSocket(url),
      chunkSizeBytes: CHUNK_SIZE_BYTES,
      onMedia,
      onCommand: (command) => this.#received(command),
    })
  }

  /** Opens a connection with a message stream 1. */
  static async connect(options: RtmpClientOptions, name?: string): Promise<RtmpClient> {
    const client = new RtmpClient(options, name)
    await client.#client.connect()
    return client
  }

  /** The connection to a publisher that was admitted. */
  static async publish(options: RtmpClientOptions, name: string): Promise<RtmpClient> {
    const client = await RtmpClient.connect(options, name)
    await client.#client.publish()
    return client
  }

  /** The connection of a player that was admitted. */
  static async play(
    options: RtmpClientOptions,
    name: string,
    onMedia: (message: RawMessage) => void,
  ): Promise<RtmpClient> {
    const client = new RtmpClient(options, name, onMedia)
    await client.#client.connect()
    await client.#client.play()
    return client
  }

  get socket(): Socket {
    return this.#client.socket
  }

  get handshaken(): Promise<void> {
    return this.#client.handshaken
  }

  /** Resolves with the reason when the connection has ended. */
  get closed(): Promise<string> {
    return this.#client.closed
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
      const waiting = { matches, found: resolve }
      this.#waiting.add(waiting)
      void this.closed.then(() => reject(new Error('the server closed the connection')))
    })
  }

  close(): void {
    this.socket.destroy()
  }

  #received(command: Command): void {
    for (const waiting of this.#waiting) {
      if (!waiting.matches(command)) continue
      this.#waiting.delete(waiting)
      waiting.found()
    }
  }
}

export function command(name: string, transactionId: number, ...args: readonly AmfValue[]): Command {
  return { kind: 'command', name, transactionId, commandObject: null, args, amf3: false }
}

/** A message in chunks, as a client that has announced its chunk size sends it. */
export function messageBytes(message: Message, messageStreamId = 0, timestamp = 0): Buffer {
  const { typeId, payload } = serializeMessage(message)
  const header = { chunkStreamId: chunkStreamOf(typeId), typeId, messageStreamId, timestamp }
  return serializeChunks(header, [payload], CHUNK_SIZE_BYTES)
}
