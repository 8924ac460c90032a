import { isAmfObject, type AmfValue } from 'sluice/sdk/media'
import { AckWindow } from '../../../plugins/rtmp/wire/ack-window.ts'
import { ChunkReader } from '../../../plugins/rtmp/wire/chunk/chunk-reader.ts'
import { serializeChunks } from '../../../plugins/rtmp/wire/chunk/chunk-writer.ts'
import { DEFAULT_CHUNK_SIZE_BYTES } from '../../../plugins/rtmp/wire/chunk/limits.ts'
import type { Command } from '../../../plugins/rtmp/wire/message/command.ts'
import { parseMessage, serializeMessage, type Message } from '../../../plugins/rtmp/wire/message/message.ts'
import { CHUNK_STREAM_ID } from '../../../plugins/rtmp/wire/message/raw-message.ts'
import type { Player } from './player.ts'
import { SimpleHandshake } from './simple-handshake.ts'

/** What encoders commonly use. */
const CHUNK_SIZE_BYTES = 4096
const CONNECT = 1
const CREATE_STREAM = 2
const MEDIA_TYPE = { audio: 8, video: 9 } as const

type RtmpClientInit = {
  readonly action: 'play' | 'publish'
  readonly port: number
  /** App and name of the stream. */
  readonly path: string
  send(bytes: Buffer): void
  video?(body: Buffer): void
  /** The server lets it publish. */
  publishing?(): void
  failed(reason: string): void
}

/** An RTMP client that plays or publishes one stream, as far as that needs anything. */
export class RtmpClient implements Player {
  readonly #init: RtmpClientInit
  readonly #reader = new ChunkReader()
  readonly #ackWindow = new AckWindow()
  #handshake: SimpleHandshake | undefined = new SimpleHandshake()
  #chunkSizeBytes = DEFAULT_CHUNK_SIZE_BYTES
  #streamId = 0

  constructor(init: RtmpClientInit) {
    this.#init = init
  }

  start(): void {
    if (this.#handshake) this.#init.send(this.#handshake.start())
  }

  receive(bytes: Buffer): void {
    const rest = this.#handshake === undefined ? bytes : this.#shake(this.#handshake, bytes)
    if (rest === undefined) return
    this.#reader.push(rest)
    for (let raw = this.#reader.read(); raw !== null; raw = this.#reader.read()) {
      if (raw.typeId === MEDIA_TYPE.video) {
        this.#init.video?.(raw.payload)
        continue
      }
      const message = parseMessage(raw)
      if (message !== null) this.#message(message)
    }
  }

  count(sizeBytes: number): void {
    const receivedBytes = this.#ackWindow.receive(sizeBytes)
    if (receivedBytes !== null) this.#send({ kind: 'acknowledgement', receivedBytes })
  }

  /** Sends a tag's body in one write; gives its size on the wire. */
  sendMedia(kind: keyof typeof MEDIA_TYPE, timestampMs: number, parts: readonly Buffer[]): number {
    const header = {
      chunkStreamId: CHUNK_STREAM_ID[kind],
      typeId: MEDIA_TYPE[kind],
      messageStreamId: this.#streamId,
      timestamp: timestampMs,
    }
    const bytes = serializeChunks(header, parts, this.#chunkSizeBytes)
    this.#init.send(bytes)
    return bytes.length
  }

  #shake(handshake: SimpleHandshake, bytes: Buffer): Buffer | undefined {
    const done = handshake.push(bytes)
    if (done === undefined) return undefined
    this.#handshake = undefined
    this.#init.send(done.reply)
    const [app = ''] = this.#init.path.split('/')
    this.#send({ kind: 'setChunkSize', sizeBytes: CHUNK_SIZE_BYTES })
    this.#chunkSizeBytes = CHUNK_SIZE_BYTES
    const tcUrl = `rtmp://127.0.0.1:${this.#init.port}/${app}`
    this.#call('connect', CONNECT, { app, tcUrl, flashVer: 'FMLE/3.0 (compatible; bench)', type: 'nonprivate' })
    return done.rest
  }

  #message(message: Message): void {
    if (message.kind === 'command') this.#command(message)
    else if (message.kind === 'windowAckSize') this.#ackWindow.setSize(message.sizeBytes)
    else if (message.kind === 'pingRequest') {
      this.#send({ kind: 'pingResponse', timestampMs: message.timestampMs })
    } else if (message.kind === 'aggregate') this.#init.failed('the server sends aggregates')
  }

  #command({ name, transactionId, args }: Command): void {
    const [status] = args
    if (name === '_error') this.#init.failed('the server answered with an error')
    else if (name === '_result' && transactionId === CONNECT) this.#call('createStream', CREATE_STREAM, null)
    else if (name === '_result' && transactionId === CREATE_STREAM) this.#begin(Number(status))
    else if (name === 'onStatus' && isAmfObject(status)) this.#status(status['level'], status['code'])
  }

  #begin(streamId: number): void {
    this.#streamId = streamId
    const { action, path } = this.#init
    const name = path.slice(path.indexOf('/') + 1)
    this.#call(action, 0, null, action === 'publish' ? [name, 'live'] : [name])
  }

  #status(level: AmfValue, code: AmfValue): void {
    if (level === 'error') this.#init.failed(typeof code === 'string' ? code : 'an error without code')
    else if (code === 'NetStream.Publish.Start') this.#init.publishing?.()
  }

  #call(
    name: string,
    transactionId: number,
    commandObject: Command['commandObject'],
    args: Command['args'] = [],
  ): void {
    this.#send({ kind: 'command', name, transactionId, commandObject, args, amf3: false })
  }

  #send(message: Message): void {
    const { typeId, payload } = serializeMessage(message)
    const isCommand = message.kind === 'command'
    const chunkStreamId = isCommand ? CHUNK_STREAM_ID.command : CHUNK_STREAM_ID.control
    const header = { chunkStreamId, typeId, messageStreamId: this.#streamId, timestamp: 0 }
    this.#init.send(
      serializeChunks(isCommand ? header : { ...header, messageStreamId: 0 }, [payload], this.#chunkSizeBytes),
    )
  }
}
