import { nextSequenceNumber, sequenceOffset } from '../sequence-number.ts'

/** Packets of one stream that are asked for again at a time; with more than that missing, only a keyframe helps. */
export const MAX_MISSING_PACKETS = 400
/** The most requests for one packet. */
export const MAX_REQUESTS_PER_PACKET = 16
/** A packet that comes this soon after its request was late, and is no answer to it. */
const MIN_ROUND_TRIP_MS = 10
/** A packet is asked for again after a round trip, but no sooner and no later than this. */
const MIN_RETRY_MS = 20
const MAX_RETRY_MS = 200
/** The wait before a packet is asked for again, as long as no round trip was measured. */
const FIRST_RETRY_MS = 100
/**
 * The factor from the quickest of the last answers to the wait. The quickest is the round trip and nothing else: others may
 * answer later requests.
 */
const RETRY_PER_ROUND_TRIP = 1.25
const ROUND_TRIPS_KEPT = 16

const NONE: readonly number[] = []

type MissingPacket = { readonly sinceMs: number; firstAskedMs: number; askedMs: number; requests: number }

/**
 * Finds which packets of a stream are missing, and when each is to be asked for (RFC 4585 6.2.1): at once, and again after
 * a round trip, which it learns from the answers. `nowMs` of all calls is one monotonic clock.
 */
export class MissingPackets {
  readonly #maxAgeMs: number
  readonly #maxMisorder: number
  /** The missing packets by sequence number, in the order in which they were found to be missing. */
  readonly #missing = new Map<number, MissingPacket>()
  #highest: number | undefined
  /** The last packet that was far off: where the next one follows it, the source has begun anew. */
  #stray: number | undefined
  /** The times from the first request to the arrival of the latest recovered packets. */
  readonly #roundTripsMs = new Float64Array(ROUND_TRIPS_KEPT).fill(Infinity)
  #retryMs = FIRST_RETRY_MS
  #recoveredPackets = 0

  /**
   * @param maxAgeMs how long a packet is of use after it was found to be missing
   * @param maxMisorder how far behind the newest a packet may come that was sent again
   */
  constructor(maxAgeMs: number, maxMisorder: number) {
    this.#maxAgeMs = maxAgeMs
    this.#maxMisorder = maxMisorder
  }

  get size(): number {
    return this.#missing.size
  }

  /** The number of packets that came after they were asked for. */
  get recoveredPackets(): number {
    return this.#recoveredPackets
  }

  /** Takes the number of a packet that has come; returns whether others are found to be missing by it. */
  receive(sequenceNumber: number, nowMs: number): boolean {
    if (this.#highest === undefined) {
      this.#highest = sequenceNumber
      return false
    }
    const expected = nextSequenceNumber(this.#highest)
    const offset = sequenceOffset(sequenceNumber, expected, this.#maxMisorder)
    if (offset === undefined) {
      this.#takeStray(sequenceNumber)
      return false
    }
    if (offset < 0) {
      this.#found(sequenceNumber, nowMs)
      return false
    }
    this.#highest = sequenceNumber
    if (offset > 0) this.#miss(expected, offset, nowMs)
    return offset > 0
  }

  /** Returns which packets are to be asked for now, in ascending order but for a wrap, and takes it that they are. */
  due(nowMs: number): readonly number[] {
    if (this.#missing.size === 0) return NONE
    const numbers: number[] = []
    for (const [number, missing] of this.#missing) {
      if (nowMs - missing.sinceMs >= this.#maxAgeMs || missing.requests === MAX_REQUESTS_PER_PACKET) {
        this.#missing.delete(number)
      } else if (missing.requests === 0 || nowMs - missing.askedMs >= this.#retryMs) {
        if (missing.requests === 0) missing.firstAskedMs = nowMs
        missing.askedMs = nowMs
        missing.requests += 1
        numbers.push(number)
      }
    }
    return numbers
  }

  /** Forgets all, where another stream takes the place of this one. */
  reset(): void {
    this.#missing.clear()
    this.#highest = undefined
    this.#stray = undefined
  }

  #takeStray(sequenceNumber: number): void {
    const follows = this.#stray !== undefined && sequenceNumber === nextSequenceNumber(this.#stray)
    this.#stray = sequenceNumber
    if (!follows) return
    this.reset()
    this.#highest = sequenceNumber
  }

  #miss(first: number, count: number, nowMs: number): void {
    if (count > MAX_MISSING_PACKETS) return this.#missing.clear()
    let number = first
    for (let left = count; left > 0; left -= 1) {
      this.#missing.set(number, { sinceMs: nowMs, firstAskedMs: 0, askedMs: 0, requests: 0 })
      number = nextSequenceNumber(number)
    }
    for (const oldest of this.#missing.keys()) {
      if (this.#missing.size <= MAX_MISSING_PACKETS) return
      this.#missing.delete(oldest)
    }
  }

  #found(number: number, nowMs: number): void {
    const missing = this.#missing.get(number)
    if (missing === undefined) return
    this.#missing.delete(number)
    if (missing.requests === 0) return
    this.#recoveredPackets += 1
    const roundTripMs = nowMs - missing.firstAskedMs
    if (roundTripMs >= MIN_ROUND_TRIP_MS) this.#learnRoundTrip(roundTripMs)
  }

  #learnRoundTrip(roundTripMs: number): void {
    this.#roundTripsMs[this.#recoveredPackets % ROUND_TRIPS_KEPT] = roundTripMs
    const retryMs = Math.min(...this.#roundTripsMs) * RETRY_PER_ROUND_TRIP
    this.#retryMs = Math.min(Math.max(retryMs, MIN_RETRY_MS), MAX_RETRY_MS)
  }
}
