import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'

/** Types of handshakes and of control packets (draft-sharabayko-srt-01 3.2 and 3.2.1). */
const INDUCTION = 1
const CONCLUSION = 0xffff_ffff
const FIRST_REFUSAL = 1000
const LAST_REFUSAL = 3000
const HEADER_BYTES = 16
const HANDSHAKE_BYTES = 48
const EXTENSION = { terms: 1, keys: 3, streamId: 5 } as const

export type ConclusionInit = {
  readonly cookie: number
  readonly streamId: string
  /** Default: the attacker's own, one for each of its calls. */
  readonly socketId?: number
  readonly version?: number
  /** A key message, whatever it holds. */
  readonly keys?: Buffer
}

type ControlFields = {
  readonly destination?: number
  readonly information?: number
  readonly subtype?: number
  readonly content?: Buffer
}

/** A control packet (3.2), with whatever content. */
export function controlPacket(type: number, fields: ControlFields): Buffer {
  const { destination = 0, information = 0, subtype = 0, content = Buffer.alloc(0) } = fields
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE((0x8000_0000 | (type << 16) | subtype) >>> 0)
  header.writeUInt32BE(information, 4)
  header.writeUInt32BE(destination, 12)
  return Buffer.concat([header, content])
}

/** A data packet (3.1): a message of its own, not encrypted. */
export function dataPacket(destination: number, sequence: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(sequence & 0x7fff_ffff)
  header.writeUInt32BE(0xe000_0001, 4)
  header.writeUInt32BE(destination, 12)
  return Buffer.concat([header, payload])
}

/** Numbers of 32 bits behind each other. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4)
  return bytes
}

export function induction(socketId: number, version = 4): Buffer {
  return controlPacket(0, { content: handshake({ version, extensions: 2, type: INDUCTION, socketId, cookie: 0 }) })
}

export function conclusion({ cookie, streamId, socketId = 1, version = 5, keys }: ConclusionInit): Buffer {
  const extensions = 1 | 4 | (keys === undefined ? 0 : 2)
  const content = Buffer.concat([
    handshake({ version, extensions: version === 5 ? extensions : 2, type: CONCLUSION, socketId, cookie }),
    extension(EXTENSION.terms, words(0x01_05_01, 0xbf, 120 * 0x1_0001)),
    ...(keys === undefined ? [] : [extension(EXTENSION.keys, keys)]),
    extension(EXTENSION.streamId, swapped(streamId)),
  ])
  return controlPacket(0, { content })
}

/** Somebody who speaks SRT by hand, from one address. It ends with the test. */
export class SrtAttacker {
  /** All that came, but for what came to handshakes that were made for it. */
  readonly answers: Buffer[] = []
  sentBytes = 0
  readonly #socket: Socket
  readonly #port: number
  #nextSocketId = 1

  private constructor(socket: Socket, port: number) {
    this.#socket = socket
    this.#port = port
    socket.on('message', (datagram) => this.answers.push(datagram))
  }

  /** @param address its own: 127.0.0.1, or another one of this machine */
  static async open(port: number, address = '127.0.0.1'): Promise<SrtAttacker> {
    const socket = createSocket('udp4')
    keep({ close: () => void socket.close() })
    const listening = once(socket, 'listening')
    socket.bind(0, address)
    await listening
    return new SrtAttacker(socket, port)
  }

  get answeredBytes(): number {
    return this.answers.reduce((sum, { length }) => sum + length, 0)
  }

  send(...datagrams: readonly Buffer[]): void {
    for (const datagram of datagrams) {
      this.sentBytes += datagram.length
      this.#socket.send(datagram, this.#port, '127.0.0.1')
    }
  }

  newSocketId(): number {
    return this.#nextSocketId++
  }

  /** Asks for a cookie, again and again as datagrams may get lost. */
  async cookie(): Promise<number> {
    const answer = await this.#ask(induction(this.newSocketId()), (type) => type === INDUCTION)
    return answer.readUInt32BE(HEADER_BYTES + 28)
  }

  /** Calls with a conclusion; returns the server's socket id, or the reason that it was refused with as `-reason`. */
  async call(init: Omit<ConclusionInit, 'cookie' | 'socketId'> & { readonly cookie?: number }): Promise<number> {
    const cookie = init.cookie ?? (await this.cookie())
    const request = conclusion({ ...init, cookie, socketId: this.newSocketId() })
    const isAnswer = (type: number) => type === CONCLUSION || (type >= FIRST_REFUSAL && type < LAST_REFUSAL)
    const answer = await this.#ask(request, isAnswer)
    const type = answer.readUInt32BE(HEADER_BYTES + 20)
    return type === CONCLUSION ? answer.readUInt32BE(HEADER_BYTES + 24) : FIRST_REFUSAL - type
  }

  async #ask(request: Buffer, isAnswer: (type: number) => boolean): Promise<Buffer> {
    const socketId = request.readUInt32BE(HEADER_BYTES + 24)
    const known = this.answers.length
    let askedMs = -Infinity
    return waitFor(
      () => {
        if (performance.now() - askedMs > 250) {
          askedMs = performance.now()
          this.send(request)
        }
        return this.answers.slice(known).find((datagram) => {
          const isHandshake =
            datagram.length >= HEADER_BYTES + HANDSHAKE_BYTES && datagram.readUInt32BE() === 0x8000_0000
          if (!isHandshake || datagram.readUInt32BE(12) !== socketId) return false
          return isAnswer(datagram.readUInt32BE(HEADER_BYTES + 20))
        })
      },
      { what: 'an answer to a handshake' },
    )
  }
}

type Handshake = {
  readonly version: number
  readonly extensions: number
  readonly type: number
  readonly socketId: number
  readonly cookie: number
}

/** With a sequence that begins at 1,000, an MTU of 1,500 and a window of 8,192 packets. */
function handshake({ version, extensions, type, socketId, cookie }: Handshake): Buffer {
  return Buffer.concat([
    words(version, extensions, 1000, 1500, 8192, type, socketId, cookie),
    Buffer.alloc(HANDSHAKE_BYTES - 32),
  ])
}

function extension(type: number, content: Buffer): Buffer {
  const padded = Buffer.concat([content, Buffer.alloc((4 - (content.length % 4)) % 4)])
  return Buffer.concat([words((type << 16) | (padded.length / 4)), padded])
}

/** A stream id, whose bytes are swapped within each word (3.2.1.3). */
function swapped(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]).swap32()
}
