import { MalformedError } from 'sluice/sdk/media'
import { HANDSHAKE_PACKET_SIZE_BYTES } from './digest.ts'

/** The only version in use (RTMP 1.0 §5.2.2). */
export const RTMP_VERSION = 3
/** Versions of Adobe's encrypted variant. */
const RTMPE_VERSIONS = [6, 8, 9]
/** The type of the record that opens a TLS connection (RFC 8446 5.1). */
const TLS_HANDSHAKE = 0x16
/** First letters of the methods of HTTP, and of HTTP/2's preface. */
const HTTP_METHODS = 'GHPDOCT'

/** The result of pushing bytes into a handshake. */
export type HandshakeStep = {
  /** Bytes to send to the peer now. */
  readonly reply?: Buffer
  /** The handshake is over; no more bytes may be pushed. */
  readonly done: boolean
  /** The bytes after the handshake, as a view; only when done and only when there are any. */
  readonly rest?: Buffer
}

/** Fills bytes at random, as `randomFillSync` of `node:crypto` does. */
export type RandomSource = (bytes: Buffer) => void

const NOTHING = Buffer.alloc(0)

/**
 * The common part of both sides of the handshake (RTMP 1.0 §5.2): it reads the peer's version and packet 1, answers, and reads its packet
 * 2. It holds at most one packet, and only one that arrives in pieces.
 */
export abstract class Handshake {
  #packet = new FixedSizeCollector(1 + HANDSHAKE_PACKET_SIZE_BYTES)
  #versionChecked = false
  #answered = false

  /**
   * Takes the next bytes from the peer; they are borrowed for the call, but `rest` is a view into them.
   * @throws {MalformedError} at the first byte when it is not plain RTMP, or when packet 2 is checked and wrong.
   */
  push(bytes: Buffer): HandshakeStep {
    if (bytes.length === 0) return { done: false }
    if (!this.#versionChecked) checkVersion(bytes[0]!)
    this.#versionChecked = true
    if (this.#answered) return this.#pushPacket2(bytes)
    const rest = this.#packet.push(bytes)
    if (!this.#packet.full) return { done: false }
    const reply = this.answer(this.#packet.bytes.subarray(1))
    this.#answered = true
    this.#packet = new FixedSizeCollector(HANDSHAKE_PACKET_SIZE_BYTES)
    return { reply, ...this.#pushPacket2(rest) }
  }

  /** Returns the bytes to send once the peer's packet 1 is complete; the packet is borrowed for the call. */
  protected abstract answer(packet1: Buffer): Buffer

  /** Throws when the peer's packet 2 has to answer this side's packet 1 and does not. */
  protected abstract checkAnswer(packet2: Buffer): void

  #pushPacket2(bytes: Buffer): HandshakeStep {
    const rest = this.#packet.push(bytes)
    if (!this.#packet.full) return { done: false }
    this.checkAnswer(this.#packet.bytes)
    return rest.length > 0 ? { done: true, rest } : { done: true }
  }
}

function checkVersion(version: number): void {
  if (version !== RTMP_VERSION) throw new MalformedError(`${wrongProtocol(version)}: it starts with byte ${version}`)
}

/** Names the protocol that a peer seems to speak, by its first byte, and the port for it. */
function wrongProtocol(firstByte: number): string {
  if (RTMPE_VERSIONS.includes(firstByte)) return 'RTMPE is not supported'
  if (firstByte === TLS_HANDSHAKE) {
    return 'TLS, not RTMP; rtmps:// goes to the port of rtmp.tcp.listenaddrtls'
  }
  if (HTTP_METHODS.includes(String.fromCharCode(firstByte))) {
    return 'HTTP, not RTMP; http:// goes to the port of global.http.listenaddr'
  }
  return 'not RTMP'
}

/** Collects an exact number of bytes, in whatever pieces they arrive. */
class FixedSizeCollector {
  readonly #sizeBytes: number
  #bytes: Buffer = NOTHING
  #filled = 0

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes
  }

  get full(): boolean {
    return this.#filled === this.#sizeBytes
  }

  /** Once full. What came in one piece is a view of it. */
  get bytes(): Buffer {
    return this.#bytes
  }

  /** Takes the bytes that are still missing and returns the rest, as a view. */
  push(bytes: Buffer): Buffer {
    if (this.#filled === 0 && bytes.length >= this.#sizeBytes) {
      this.#bytes = bytes.subarray(0, this.#sizeBytes)
      this.#filled = this.#sizeBytes
      return bytes.subarray(this.#sizeBytes)
    }
    if (this.#bytes === NOTHING) this.#bytes = Buffer.allocUnsafe(this.#sizeBytes)
    const taken = bytes.copy(this.#bytes, this.#filled)
    this.#filled += taken
    return bytes.subarray(taken)
  }
}
