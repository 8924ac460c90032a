import { MalformedError } from 'sluice/sdk/media'
import {
  CLIENT_KEY,
  findDigest,
  HANDSHAKE_PACKET_SIZE_BYTES,
  isSignedAnswer,
  SERVER_KEY,
  signAnswer,
  writeDigest,
} from './digest.ts'
import type { PacketDigest } from './digest.ts'
import { Handshake, RTMP_VERSION } from './handshake.ts'
import type { RandomSource } from './handshake.ts'

/** The version in S1 of a digest handshake. ffmpeg looks for a digest in S1 only when the first byte is 3 or more. */
const SERVER_VERSION = 0x04_05_00_01
/** The version in S1 of a simple handshake (RTMP 1.0 §5.2.3). */
const NO_VERSION = 0

export type ServerHandshakeOptions = {
  readonly random: RandomSource
  /** C2 has to answer S1, by echo or signature. Off by default: C2 is read and thrown away, as some clients fill it badly. */
  readonly checkC2?: boolean
}

/** The server's half: simple, or with digests when C1 has one. S0, S1 and S2 go out together as soon as C1 is there. */
export class ServerHandshake extends Handshake {
  readonly #random: RandomSource
  readonly #checkC2: boolean
  /** S1 and the digest that C2 has to answer; undefined when C2 is not checked. */
  #sent: { readonly s1: Buffer; readonly digest: Buffer | undefined } | undefined

  constructor(options: ServerHandshakeOptions) {
    super()
    this.#random = options.random
    this.#checkC2 = options.checkC2 ?? false
  }

  protected override answer(c1: Buffer): Buffer {
    const digest = findDigest(c1, CLIENT_KEY)
    const reply = Buffer.allocUnsafe(1 + 2 * HANDSHAKE_PACKET_SIZE_BYTES)
    reply[0] = RTMP_VERSION
    this.#writeS1(reply.subarray(1, 1 + HANDSHAKE_PACKET_SIZE_BYTES), digest)
    this.#writeS2(reply.subarray(1 + HANDSHAKE_PACKET_SIZE_BYTES), c1, digest)
    return reply
  }

  protected override checkAnswer(c2: Buffer): void {
    if (this.#sent === undefined) return
    const { s1, digest } = this.#sent
    if (digest && isSignedAnswer(c2, digest, CLIENT_KEY)) return
    // An echo is compared without its two times, which clients fill in different ways.
    if (!s1.subarray(8).equals(c2.subarray(8))) throw new MalformedError('C2 does not answer S1')
  }

  #writeS1(s1: Buffer, digest: PacketDigest | null): void {
    s1.writeUInt32BE(0, 0)
    s1.writeUInt32BE(digest ? SERVER_VERSION : NO_VERSION, 4)
    this.#random(s1.subarray(8))
    const s1Digest = digest ? writeDigest(s1, digest.scheme, SERVER_KEY) : undefined
    if (this.#checkC2) this.#sent = { s1, digest: s1Digest }
  }

  #writeS2(s2: Buffer, c1: Buffer, digest: PacketDigest | null): void {
    if (!digest) return void c1.copy(s2)
    this.#random(s2)
    signAnswer(s2, digest.bytes, SERVER_KEY)
  }
}
