import type { RtpPacket } from './packet.ts'
import { nextSequenceNumber, RTP_MAX_MISORDER, sequenceOffset } from './sequence-number.ts'

/** The limits of an {@link RtpReorderBuffer}. */
export type RtpReorderLimits = {
  /** The longest wait of a packet for those missing before it, in milliseconds. */
  readonly maxDelayMs: number
  /** The most packets that wait; 0 for a transport that keeps order. */
  readonly maxPackets: number
  /**
   * The most numbers by which a packet may come behind others and be one that was late, or sent again; further behind, the
   * source may have begun anew. Default `RTP_MAX_MISORDER`.
   */
  readonly maxMisorder?: number
}

/**
 * Takes the next packet of a stream in order of sequence numbers.
 * @param follows false where packets are missing before it, where the source began anew, and for the first one
 */
export type RtpPacketHandler = (packet: RtpPacket, follows: boolean) => void

/**
 * Puts the packets of one RTP stream in order: those that come early wait for the missing ones before them, up to its limits.
 * Repeated packets, and those that come after they were given up, are dropped.
 *
 * Another SSRC is a new source, as is a jump in the sequence numbers when two packets in a row agree on it (RFC 3550 A.1).
 */
export class RtpReorderBuffer {
  readonly #limits: RtpReorderLimits
  readonly #maxMisorder: number
  readonly #handler: RtpPacketHandler
  /** The packets ahead of the number that is expected, ascending. */
  readonly #held: RtpPacket[] = []
  /** The beginning of the wait of each held packet: no later than that of those behind it, which wait for it. */
  readonly #heldSinceMs: number[] = []
  #ssrc: number | undefined
  #expected = 0
  /** The last packet that was far off; it is given out if the next one follows it. */
  #stray: RtpPacket | undefined
  #droppedPackets = 0

  /** Packets are kept while they wait, not copied, and given to the handler within calls of the methods here. */
  constructor(limits: RtpReorderLimits, handler: RtpPacketHandler) {
    this.#limits = limits
    this.#maxMisorder = limits.maxMisorder ?? RTP_MAX_MISORDER
    this.#handler = handler
  }

  /** The number of packets that were repeated or too late, or far off without another one beside them. */
  get droppedPackets(): number {
    return this.#droppedPackets
  }

  push(packet: RtpPacket, nowMs: number): void {
    if (packet.ssrc !== this.#ssrc) {
      this.#restart(packet)
      return
    }
    const offset = sequenceOffset(packet.sequenceNumber, this.#expected, this.#maxMisorder)
    if (offset === undefined) this.#pushStray(packet)
    else if (offset === 0) this.#deliver(packet, true)
    else if (offset > 0) this.#hold(packet, nowMs)
    else this.#droppedPackets += 1
    if (this.#held.length > 0) this.#release(nowMs)
  }

  /** Gives out what has waited long enough; to be called often enough for `maxDelayMs`, whether packets come or not. */
  tick(nowMs: number): void {
    if (this.#held.length > 0) this.#release(nowMs)
  }

  /** Gives out all that waits, at the end of the stream. */
  flush(): void {
    while (this.#held.length > 0) this.#deliverHeld()
  }

  #deliver(packet: RtpPacket, follows: boolean): void {
    this.#expected = nextSequenceNumber(packet.sequenceNumber)
    this.#handler(packet, follows)
  }

  #restart(packet: RtpPacket): void {
    this.flush()
    if (this.#stray !== undefined) this.#droppedPackets += 1
    this.#stray = undefined
    this.#ssrc = packet.ssrc
    this.#deliver(packet, false)
  }

  #pushStray(packet: RtpPacket): void {
    const stray = this.#stray
    if (stray !== undefined && packet.sequenceNumber === nextSequenceNumber(stray.sequenceNumber)) {
      this.#stray = undefined
      this.#restart(stray)
      this.#deliver(packet, true)
      return
    }
    if (stray !== undefined) this.#droppedPackets += 1
    this.#stray = packet
  }

  #hold(packet: RtpPacket, nowMs: number): void {
    let index = this.#held.length
    while (index > 0 && this.#isBefore(packet, this.#held[index - 1]!)) index -= 1
    if (this.#held[index - 1]?.sequenceNumber === packet.sequenceNumber) {
      this.#droppedPackets += 1
      return
    }
    this.#heldSinceMs.splice(index, 0, this.#heldSinceMs[index] ?? nowMs)
    this.#held.splice(index, 0, packet)
  }

  #isBefore(packet: RtpPacket, other: RtpPacket): boolean {
    return this.#ahead(packet) < this.#ahead(other)
  }

  #ahead({ sequenceNumber }: RtpPacket): number {
    return (sequenceNumber - this.#expected) & 0xffff
  }

  /** Hands out the packets that follow now, and those that the limits release. */
  #release(nowMs: number): void {
    while (this.#held.length > 0) {
      const isDue = nowMs - this.#heldSinceMs[0]! >= this.#limits.maxDelayMs
      if (!isDue && this.#held.length <= this.#limits.maxPackets && this.#ahead(this.#held[0]!) > 0) return
      this.#deliverHeld()
    }
  }

  /** Gives out the first one held and those that follow it. */
  #deliverHeld(): void {
    let count = 0
    let follows = this.#ahead(this.#held[0]!) === 0
    do {
      this.#deliver(this.#held[count]!, follows)
      follows = true
      count += 1
    } while (count < this.#held.length && this.#ahead(this.#held[count]!) === 0)
    this.#held.splice(0, count)
    this.#heldSinceMs.splice(0, count)
  }
}
