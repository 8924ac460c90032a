import { randomNumbers } from '../random-numbers.ts'

/** What happens to the RTP packets of one direction. A packet meets one of these at most; RTCP goes through. */
export type LossPolicy = {
  /**
   * Of the random numbers that decide; the same seed meets the same packets of an SSRC, however those of others come between.
   * Default 1.
   */
  readonly seed?: number
  /** Shares of all packets, 0–1. */
  readonly dropShare?: number
  readonly duplicateShare?: number
  readonly reorderShare?: number
  /** A packet that is reordered comes after so many that follow it and go on at once. Default 2. */
  readonly reorderBy?: number
  /** Whether this very packet is dropped, before anything random; here also RTCP. */
  readonly isDropped?: (datagram: RelayedDatagram) => boolean
}

/** A datagram on its way. */
export type RelayedDatagram = {
  /** Which media it belongs to, by the order of SETUP in its connection. */
  readonly media: number
  readonly rtcp: boolean
  /** Its place among the RTP, or among the RTCP, of its media in its direction. */
  readonly index: number
  /** 32 bits. */
  readonly ssrc: number
  /** 16 bits; 0 of RTCP. */
  readonly sequenceNumber: number
}

/** What became of the RTP packets of one SSRC. */
export type FlowCounts = {
  /** That came in. */
  readonly came: number
  readonly dropped: number
  /** That were sent twice. */
  readonly duplicated: number
  /** That were sent after a later one. */
  readonly reordered: number
}

type Mutable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] }
type Held = { readonly datagram: Buffer; readonly ssrc: number; left: number }

const RTP_HEADER_BYTES = 12

/** The packets of one media in one direction, and what its policy does to them. */
export class LossyFlow {
  readonly #policy: LossPolicy
  readonly #media: number
  readonly #counts: Map<number, Mutable<FlowCounts>>
  /** By SSRC. */
  readonly #random = new Map<number, () => number>()
  readonly #held = new Set<Held>()
  #rtpCount = 0
  #rtcpCount = 0

  /** @param counts by SSRC, shared by flows of one direction */
  constructor(policy: LossPolicy, media: number, counts: Map<number, Mutable<FlowCounts>>) {
    this.#policy = policy
    this.#media = media
    this.#counts = counts
  }

  /** The datagrams that are to be sent for one that came, in their order. */
  pushRtp(datagram: Buffer): Buffer[] {
    // What opens the way through a firewall need not be RTP.
    if (datagram.length < RTP_HEADER_BYTES) return [datagram]
    const { dropShare = 0, duplicateShare = 0, reorderShare = 0, reorderBy = 2, isDropped } = this.#policy
    const ssrc = datagram.readUInt32BE(8)
    const counts = this.#countsOf(ssrc)
    counts.came++
    const index = this.#rtpCount++
    // Of each packet one number is drawn, so that one decision does not change those that follow.
    const drawn = this.#randomOf(ssrc)()
    const sequenceNumber = datagram.readUInt16BE(2)
    if (isDropped?.({ media: this.#media, rtcp: false, index, ssrc, sequenceNumber }) === true || drawn < dropShare) {
      counts.dropped++
      return []
    }
    if (drawn < dropShare + duplicateShare) {
      counts.duplicated++
      return [datagram, datagram, ...this.#released()]
    }
    if (drawn < dropShare + duplicateShare + reorderShare) {
      this.#held.add({ datagram, ssrc, left: reorderBy })
      return []
    }
    return [datagram, ...this.#released()]
  }

  /** Whether a datagram of RTCP goes on. */
  passesRtcp(datagram: Buffer): boolean {
    const ssrc = datagram.length < 8 ? 0 : datagram.readUInt32BE(4)
    const index = this.#rtcpCount++
    return this.#policy.isDropped?.({ media: this.#media, rtcp: true, index, ssrc, sequenceNumber: 0 }) !== true
  }

  /** The packets that are still held back, at the end. */
  flush(): Buffer[] {
    const datagrams = [...this.#held].map(({ datagram }) => datagram)
    this.#held.clear()
    return datagrams
  }

  #released(): Buffer[] {
    const due = [...this.#held].filter((held) => --held.left === 0)
    for (const held of due) {
      this.#held.delete(held)
      this.#countsOf(held.ssrc).reordered++
    }
    return due.map(({ datagram }) => datagram)
  }

  #randomOf(ssrc: number): () => number {
    const random = this.#random.get(ssrc) ?? randomNumbers((this.#policy.seed ?? 1) * 31 + this.#media)
    this.#random.set(ssrc, random)
    return random
  }

  #countsOf(ssrc: number): Mutable<FlowCounts> {
    const counts = this.#counts.get(ssrc) ?? { came: 0, dropped: 0, duplicated: 0, reordered: 0 }
    this.#counts.set(ssrc, counts)
    return counts
  }
}
