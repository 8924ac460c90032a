/** The states of a packet: not received, received, or given up. */
const MISSING = 0
const PRESENT = 1
const GIVEN_UP = 2

const FIRST_CAPACITY = 256

/**
 * Payloads that wait for their time to be delivered, or for others before them. Each has an index that counts from 0 and never wraps; there
 * are no more than `maxPackets` between the first and the last.
 */
export class ReceiveBuffer {
  readonly #maxPackets: number
  #first = 0
  /** The index after the newest packet that came. */
  #end = 0
  #missing = 0
  #sizeBytes = 0
  #payloads: (Buffer | undefined)[] = Array.from({ length: FIRST_CAPACITY })
  #timesUs = new Float64Array(FIRST_CAPACITY)
  #states = new Uint8Array(FIRST_CAPACITY)

  /** @param maxPackets the capacity, which is rounded down to a power of two */
  constructor(maxPackets: number) {
    this.#maxPackets = 2 ** Math.floor(Math.log2(maxPackets))
  }

  /** The index of the payload that is delivered next. */
  get first(): number {
    return this.#first
  }

  get end(): number {
    return this.#end
  }

  /** The number of packets between first and end that are missing. */
  get missingCount(): number {
    return this.#missing
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  get freePackets(): number {
    return this.#maxPackets - (this.#end - this.#first)
  }

  isMissing(index: number): boolean {
    return index >= this.#end || this.#states[this.#slot(index)] === MISSING
  }

  /** The time in microseconds at which a payload that is present is to be delivered. */
  timeUsOf(index: number): number {
    return this.#timesUs[this.#slot(index)]!
  }

  /** True when the index is within the capacity. */
  hasPlaceFor(index: number): boolean {
    return index - this.#first < this.#maxPackets
  }

  /**
   * Puts a payload, or `undefined` for one that is given up, at its place, which must be missing and within the capacity. Earlier packets
   * that have not come are missing from then on.
   */
  put(index: number, payload: Buffer | undefined, timeUs: number): void {
    if (index >= this.#end) this.#extend(index + 1)
    this.#missing -= 1
    const slot = this.#slot(index)
    this.#states[slot] = payload === undefined ? GIVEN_UP : PRESENT
    this.#payloads[slot] = payload
    this.#timesUs[slot] = timeUs
    this.#sizeBytes += payload?.length ?? 0
  }

  /** Gives up the missing packets from one index up to another. @returns their number */
  giveUp(from: number, to: number): number {
    let count = 0
    for (let index = Math.max(from, this.#first); index < Math.min(to, this.#end); index += 1) {
      const slot = this.#slot(index)
      if (this.#states[slot] !== MISSING) continue
      this.#states[slot] = GIVEN_UP
      count += 1
    }
    this.#missing -= count
    return count
  }

  /** Takes out the first payload, which must not be missing; undefined when it was given up. */
  shift(): Buffer | undefined {
    const slot = this.#slot(this.#first)
    const payload = this.#payloads[slot]
    this.#payloads[slot] = undefined
    this.#states[slot] = MISSING
    this.#first += 1
    this.#sizeBytes -= payload?.length ?? 0
    return payload
  }

  /** The first index, from `index` on, with a payload; `end` when there is none. */
  nextPresent(index: number): number {
    let next = index
    while (next < this.#end && this.#states[this.#slot(next)] !== PRESENT) next += 1
    return next
  }

  isGivenUp(index: number): boolean {
    return this.#states[this.#slot(index)] === GIVEN_UP
  }

  /** The first missing index, from `index` on; `end` when there is none. */
  nextMissing(index: number): number {
    let next = index
    while (next < this.#end && this.#states[this.#slot(next)] !== MISSING) next += 1
    return next
  }

  /** Empties the buffer, which begins again at an index. */
  restart(index: number): void {
    while (this.#first < this.#end) this.shift()
    this.#first = index
    this.#end = index
    this.#missing = 0
  }

  #extend(end: number): void {
    while (end - this.#first > this.#payloads.length) this.#grow()
    this.#missing += end - this.#end
    this.#end = end
  }

  #slot(index: number): number {
    return index & (this.#payloads.length - 1)
  }

  #grow(): void {
    const [payloads, timesUs, states] = [this.#payloads, this.#timesUs, this.#states]
    const mask = payloads.length - 1
    const capacity = payloads.length * 2
    this.#payloads = Array.from({ length: capacity })
    this.#timesUs = new Float64Array(capacity)
    this.#states = new Uint8Array(capacity)
    for (let index = this.#first; index < this.#end; index += 1) {
      const from = index & mask
      const to = this.#slot(index)
      this.#payloads[to] = payloads[from]
      this.#timesUs[to] = timesUs[from]!
      this.#states[to] = states[from]!
    }
  }
}
