import { randomFillSync } from 'node:crypto'
import type { Socket } from 'node:net'
import { sessionClient, type AudioCodec, type PluginContext, type SessionClient } from 'sluice/sdk'
import { isAmfObject, MalformedError, type AmfObject, type AmfValue } from 'sluice/sdk/media'
import { Connection } from './connection.ts'
import { playableSound } from './four-ccs.ts'
import type { RtmpFormats } from './from-stream.ts'
import { NetStream } from './net-stream.ts'
import { CAPS_EX_MULTITRACK, connected, refused, result } from './replies.ts'
import { ServerHandshake } from './wire/handshake/server-handshake.ts'
import type { Command } from './wire/message/command.ts'
import type { RawMessage } from './wire/message/raw-message.ts'
import { parseStreamTarget, type StreamTarget } from './wire/url.ts'

/** Most message streams of one connection, and so their highest id. */
const MAX_NET_STREAMS = 8
/** A client must ask for a stream this soon after the handshake. */
const REQUEST_TIMEOUT_MS = 10_000
/** A connection that has closed its last message stream is closed after this. */
const IDLE_TIMEOUT_MS = 30_000
const NO_REQUEST = 'no stream was asked for in time'
/** The most characters of a command's name in the log. */
const SHOWN_NAME_LENGTH = 32

type SessionOptions = {
  readonly ctx: PluginContext<unknown>
  readonly formats: RtmpFormats
  readonly chunkSizeBytes: number
  /** True to refuse clients when C2 does not answer S1. */
  readonly checkC2: boolean
}

/** One client's connection: `connect`, then message streams that publish or play. */
export class RtmpSession {
  readonly #options: SessionOptions
  readonly #connection: Connection
  readonly #streams = new Map<number, NetStream>()
  readonly #server: string
  #client: SessionClient
  #app = ''
  #tcUrl = ''
  #multitrack = false
  #sound: readonly AudioCodec[] = []
  #isConnected = false
  /** True when a message stream that the client has since closed has logged how its use ended. */
  #told = false
  #pendingPlays = 0

  constructor(socket: Socket, options: SessionOptions) {
    this.#options = options
    this.#client = sessionClient(socket)
    this.#server = serverUrl(socket)
    const handshake = new ServerHandshake({ random: randomFillSync, checkC2: options.checkC2 })
    this.#connection = new Connection(
      socket,
      {
        message: (message, raw) => (message.kind === 'command' ? this.#command(message, raw) : undefined),
        media: (raw) => this.#streams.get(raw.messageStreamId)?.receive(raw),
        alive: () => this.#alive(),
        handshaken: () => this.#connection.expectWithin(REQUEST_TIMEOUT_MS, NO_REQUEST),
        closed: (reason) => this.#closed(reason),
      },
      handshake,
    )
  }

  close(reason: string): void {
    this.#connection.close(reason)
  }

  #alive(): void {
    for (const stream of this.#streams.values()) stream.alive()
  }

  #closed(reason: string): void {
    const streams = [...this.#streams.values()]
    if (!this.#told && !streams.some((stream) => stream.told)) {
      const { ip, port } = this.#client
      this.#options.ctx.log.info({ ip, port, reason }, 'connection closed')
    }
    for (const stream of streams) stream.close(reason)
    this.#streams.clear()
  }

  #command(command: Command, raw: RawMessage): Promise<void> | undefined {
    if (command.name === 'connect') this.#connect(command)
    else if (!this.#isConnected) {
      this.#connection.close(`"${command.name.slice(0, SHOWN_NAME_LENGTH)}" before connect`)
    } else return this.#streamCommand(command, raw)
    return undefined
  }

  #connect(command: Command): void {
    const properties = isAmfObject(command.commandObject) ? command.commandObject : undefined
    if (properties === undefined || this.#isConnected) {
      this.#connection.send(refused(command, 'connect has no properties, or was called before'))
      return this.#connection.close('connect refused')
    }
    this.#isConnected = true
    this.#app = textOf(properties, 'app')
    this.#tcUrl = textOf(properties, 'tcUrl')
    this.#client = { ...this.#client, userAgent: textOf(properties, 'flashVer').slice(0, 256) }
    const { capsEx, objectEncoding } = properties
    this.#multitrack = typeof capsEx === 'number' && (capsEx & CAPS_EX_MULTITRACK) !== 0
    this.#sound = playableSound(properties)
    this.#connection.announce(this.#options.chunkSizeBytes)
    this.#connection.send(connected(command, objectEncoding === 3 ? 3 : 0))
  }

  #streamCommand(command: Command, raw: RawMessage): Promise<void> | undefined {
    const stream = this.#streams.get(raw.messageStreamId)
    switch (command.name) {
      case 'createStream':
        return void this.#createStream(command)
      case 'publish':
        return this.#target(command, (target) => this.#free(raw.messageStreamId)?.publish(command, target))
      case 'play':
        // A player may have to wait for its publisher; its other messages are read meanwhile.
        return void this.#play(command, raw.messageStreamId)
      case 'pause':
      case 'pauseRaw':
        return stream?.pause(command)
      case 'seek':
        return stream?.seek(command)
      case 'closeStream':
        return void this.#closeStream(raw.messageStreamId)
      case 'deleteStream':
        return void this.#closeStream(command.args[0])
      case 'getStreamLength':
        return void this.#connection.send(result(command, 0))
      default:
        // releaseStream, FCPublish, FCSubscribe, _checkbw and the like: answered when an answer is asked for.
        if (command.transactionId > 0) this.#connection.send(result(command, undefined))
        return undefined
    }
  }

  async #play(command: Command, streamId: number): Promise<void> {
    if (this.#pendingPlays >= MAX_NET_STREAMS) return this.#connection.close('too many requests at once')
    this.#pendingPlays++
    try {
      await this.#target(command, (target) => this.#free(streamId)?.play(command, target))
    } catch (error) {
      if (error instanceof MalformedError) this.#connection.cut(`malformed: ${error.message}`)
      else this.#options.ctx.log.error({ err: error }, 'play failed')
    } finally {
      this.#pendingPlays--
    }
  }

  // Ids are used again: each has its own form of the streams' bytes, of which there should be few.
  #createStream(command: Command): void {
    const ids = Array.from({ length: MAX_NET_STREAMS }, (_, index) => index + 1)
    const id = ids.find((candidate) => !this.#streams.has(candidate))
    if (id === undefined) return this.#connection.close('too many message streams')
    this.#openStream(id)
    this.#connection.send(result(command, id))
  }

  #openStream(id: number): NetStream {
    const stream = new NetStream(id, {
      ctx: this.#options.ctx,
      connection: this.#connection,
      formats: this.#options.formats,
      chunkSizeBytes: this.#options.chunkSizeBytes,
      multitrack: this.#multitrack,
      sound: this.#sound,
      client: this.#client,
    })
    this.#streams.set(id, stream)
    return stream
  }

  // The stream to publish or play on. Some encoders never create one and use id 1 or even 0.
  #free(id: number): NetStream | undefined {
    const stream = this.#streams.get(id)
    if (stream?.idle === true) return stream
    stream?.close('replaced by the client')
    if (id <= MAX_NET_STREAMS) return this.#openStream(id)
    this.#connection.close('no such message stream')
    return undefined
  }

  #closeStream(id: AmfValue): void {
    if (typeof id !== 'number') return
    const stream = this.#streams.get(id)
    stream?.close('the client left')
    this.#told ||= stream?.told === true
    this.#streams.delete(id)
    if (this.#connection.closed || [...this.#streams.values()].some((stream) => !stream.idle)) return
    this.#connection.expectWithin(IDLE_TIMEOUT_MS, NO_REQUEST)
  }

  #target(command: Command, use: (target: StreamTarget) => Promise<void> | undefined): Promise<void> | undefined {
    const [name] = command.args
    if (typeof name === 'string') {
      return use(parseStreamTarget({ app: this.#app, tcUrl: this.#tcUrl, server: this.#server, name }))
    }
    this.#connection.close(`${command.name} without a stream name`)
    return undefined
  }
}

function textOf(properties: AmfObject, name: string): string {
  const value = properties[name]
  return typeof value === 'string' ? value : ''
}

/** The address that a client has connected to. */
function serverUrl(socket: Socket): string {
  const { localAddress = '', localPort = 0 } = socket
  const ip = localAddress.startsWith('::ffff:') ? localAddress.slice(7) : localAddress
  return `${'encrypted' in socket ? 'rtmps' : 'rtmp'}://${ip.includes(':') ? `[${ip}]` : ip}:${localPort}`
}
