import { CLIENT_KEY, findDigest, HANDSHAKE_PACKET_SIZE_BYTES, SERVER_KEY, signAnswer, writeDigest } from './digest.ts'
import { Handshake, RTMP_VERSION } from './handshake.ts'
import type { RandomSource } from './handshake.ts'

/** The version in C1: Flash Player 9, the oldest that signs. */
const CLIENT_VERSION = 0x09_00_7c_02

export type ClientHandshakeOptions = {
  readonly random: RandomSource
  /** Puts a digest into C1. Default true. */
  readonly signed?: boolean
}

/**
 * The client's half. C1 carries a digest, which a server that knows only the simple handshake takes for random bytes,
 * unless it is to be a simple one (RTMP 1.0 §5.2.3); C2 goes out as soon as S1 is there, signed or an echo as S1 is. S2
 * is read but not checked.
 */
export class ClientHandshake extends Handshake {
  readonly #random: RandomSource
  readonly #signed: boolean

  constructor(options: ClientHandshakeOptions) {
    super()
    this.#random = options.random
    this.#signed = options.signed ?? true
  }

  /** C0 and C1, the bytes that open the connection. */
  start(): Buffer {
    const c0c1 = Buffer.alloc(1 + HANDSHAKE_PACKET_SIZE_BYTES)
    c0c1[0] = RTMP_VERSION
    const c1 = c0c1.subarray(1)
    this.#random(c1.subarray(8))
    if (!this.#signed) return c0c1
    c1.writeUInt32BE(CLIENT_VERSION, 4)
    writeDigest(c1, 1, CLIENT_KEY)
    return c0c1
  }

  protected override answer(s1: Buffer): Buffer {
    const digest = this.#signed ? findDigest(s1, SERVER_KEY) : null
    if (!digest) return Buffer.from(s1)
    const c2 = Buffer.allocUnsafe(HANDSHAKE_PACKET_SIZE_BYTES)
    this.#random(c2)
    signAnswer(c2, digest.bytes, CLIENT_KEY)
    return c2
  }

  protected override checkAnswer(): void {}
}
