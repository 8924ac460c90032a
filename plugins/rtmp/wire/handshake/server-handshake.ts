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

/** What S1 calls itself in a digest handshake. ffmpeg looks for a digest in S1 only when the first byte is 3 or more. */
const SERVER_VERSION = 0x04_05_00_01
/** What S1 calls itself in a simple handshake (RTMP 1.0 §5.2.3). */
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
  #s1: Buffer | undefined
  #s1Digest: Buffer | undefined

  constructor(options: ServerHandshakeOptions) {
    super()
    this.#random = options.random
    this.#checkC2 = options.checkC2 ?? false
  }

  protected override answer(c1: Buffer): Buffer {
    const digest = findDigest(c1, CLIENT_KEY)
    this.#s1 = this.#createS1(digest)
    const s2 = digest ? this.#createSignedS2(digest) : c1
    return Buffer.concat([Buffer.of(RTMP_VERSION), this.#s1, s2])
  }

  protected override checkAnswer(c2: Buffer): void {
    if (!this.#checkC2) return
    if (this.#s1Digest && isSignedAnswer(c2, this.#s1Digest, CLIENT_KEY)) return
    // An echo is compared without its two times: what clients write there differs.
    if (!this.#s1?.subarray(8).equals(c2.subarray(8))) throw new MalformedError('C2 does not answer S1')
  }

  #createS1(digest: PacketDigest | null): Buffer {
    const s1 = Buffer.alloc(HANDSHAKE_PACKET_SIZE_BYTES)
    s1.writeUInt32BE(digest ? SERVER_VERSION : NO_VERSION, 4)
    this.#random(HANDSHAKE_PACKET_SIZE_BYTES - 8).copy(s1, 8)
    if (digest) this.#s1Digest = writeDigest(s1, digest.scheme, SERVER_KEY)
    return s1
  }

  #createSignedS2(digest: PacketDigest): Buffer {
    const s2 = Buffer.from(this.#random(HANDSHAKE_PACKET_SIZE_BYTES))
    signAnswer(s2, digest.bytes, SERVER_KEY)
    return s2
  }
}
