import { MalformedError } from 'sluice/sdk/media'
import { HANDSHAKE_PACKET_SIZE_BYTES } from './digest.ts'

/** The only version in use (RTMP 1.0 §5.2.2). */
export const RTMP_VERSION = 3
/** Versions of Adobe's encrypted variant. */
const RTMPE_VERSIONS = [6, 8, 9]

/** What a handshake does with the bytes it was given. */
export type HandshakeStep = {
  /** Bytes to send to the peer now. */
  readonly reply?: Buffer
  /** The handshake is over; no more bytes may be pushed. */
  readonly done: boolean
  /** What follows the handshake, as a view; only when done and only when something follows. */
  readonly rest?: Buffer
}

/** Gives a number of random bytes, as `randomBytes` of `node:crypto` does. */
export type RandomSource = (sizeBytes: number) => Buffer

/**
 * What both halves of the handshake do (RTMP 1.0 §5.2): read the peer's version and packet 1, answer, read its packet 2.
 * Holds no more than these 3073 bytes.
 */
export abstract class Handshake {
  readonly #versionAndPacket1 = new FixedSizeCollector(1 + HANDSHAKE_PACKET_SIZE_BYTES)
  #packet2: FixedSizeCollector | undefined
  #versionChecked = false

  /**
   * Takes the next bytes from the peer; they are borrowed for the call, but `rest` is a view into them.
   * @throws {MalformedError} at the first byte when it is not plain RTMP, or when packet 2 is checked and wrong.
   */
  push(bytes: Buffer): HandshakeStep {
    if (bytes.length === 0) return { done: false }
    if (!this.#versionChecked) checkVersion(bytes[0]!)
    this.#versionChecked = true
    if (this.#packet2) return this.#pushPacket2(this.#packet2, bytes)
    const left = this.#versionAndPacket1.push(bytes)
    if (!this.#versionAndPacket1.full) return { done: false }
    const reply = this.answer(this.#versionAndPacket1.bytes.subarray(1))
    this.#packet2 = new FixedSizeCollector(HANDSHAKE_PACKET_SIZE_BYTES)
    return { reply, ...this.#pushPacket2(this.#packet2, left) }
  }

  /** What to send once the peer's packet 1 is there. */
  protected abstract answer(packet1: Buffer): Buffer

  /** Throws when the peer's packet 2 does not answer one's own packet 1 and that matters. */
  protected abstract checkAnswer(packet2: Buffer): void

  #pushPacket2(packet2: FixedSizeCollector, bytes: Buffer): HandshakeStep {
    const rest = packet2.push(bytes)
    if (!packet2.full) return { done: false }
    this.checkAnswer(packet2.bytes)
    return rest.length > 0 ? { done: true, rest } : { done: true }
  }
}

function checkVersion(version: number): void {
  if (version === RTMP_VERSION) return
  const what = RTMPE_VERSIONS.includes(version) ? 'RTMPE is not supported' : 'not RTMP'
  throw new MalformedError(`${what}: handshake starts with byte ${version}`)
}

/** Collects exactly so many bytes, whatever pieces they arrive in. */
class FixedSizeCollector {
  readonly bytes: Buffer
  #filled = 0

  constructor(sizeBytes: number) {
    this.bytes = Buffer.allocUnsafe(sizeBytes)
  }

  get full(): boolean {
    return this.#filled === this.bytes.length
  }

  /** Copies what is still missing and gives back what was not needed, as a view. */
  push(bytes: Buffer): Buffer {
    const taken = bytes.copy(this.bytes, this.#filled)
    this.#filled += taken
    return bytes.subarray(taken)
  }
}
