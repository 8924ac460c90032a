import { randomBytes } from 'node:crypto'
import { FLV_TAG_TYPE, FlvReader } from 'sluice/sdk/media'
import { pictureOf } from '../media/tape.ts'
import { ChunkedBody, PlainBody, WebSocketBody, type BodyFraming } from './body-framing.ts'
import type { Player, PlayerEvents, Target } from './player.ts'

const MAX_RESPONSE_HEADER_BYTES = 16 * 1024

/** Plays FLV over HTTP or over a WebSocket. */
export class FlvPlayer implements Player {
  readonly #target: Target
  readonly #events: PlayerEvents
  readonly #reader = new FlvReader()
  #header: Buffer = Buffer.alloc(0)
  #body: BodyFraming | undefined

  constructor(target: Target, events: PlayerEvents) {
    this.#target = target
    this.#events = events
  }

  start(): void {
    const { path, port, format } = this.#target
    const upgrade =
      format === 'ws'
        ? `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
          `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n`
        : ''
    this.#events.send(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${upgrade}\r\n`))
  }

  receive(bytes: Buffer): void {
    const rest = this.#body === undefined ? this.#receiveHeader(bytes) : bytes
    if (rest === undefined || this.#body === undefined) return
    for (const piece of this.#body.push(rest)) {
      for (const { type, body } of this.#reader.push(piece)) {
        if (type === FLV_TAG_TYPE.video) this.#events.picture(pictureOf(body))
      }
    }
  }

  #receiveHeader(bytes: Buffer): Buffer | undefined {
    this.#header = Buffer.concat([this.#header, bytes])
    const end = this.#header.indexOf('\r\n\r\n')
    if (end < 0) {
      if (this.#header.length > MAX_RESPONSE_HEADER_BYTES) this.#events.failed('a response header without end')
      return undefined
    }
    const text = this.#header.toString('latin1', 0, end)
    const rest = this.#header.subarray(end + 4)
    const webSocket = this.#target.format === 'ws'
    if (!text.startsWith(webSocket ? 'HTTP/1.1 101' : 'HTTP/1.1 200')) {
      this.#events.failed(text.slice(0, text.indexOf('\r\n')))
      return undefined
    }
    if (webSocket) this.#body = new WebSocketBody()
    else this.#body = /^transfer-encoding:\s*chunked/imu.test(text) ? new ChunkedBody() : new PlainBody()
    return rest
  }
}
