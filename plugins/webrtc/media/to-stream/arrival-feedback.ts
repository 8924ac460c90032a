import {
  CounterUnwrapper,
  TRANSPORT_WIDE_REFERENCE_MS,
  TRANSPORT_WIDE_TICK_MS,
  transportWideFeedback,
  type TransportFeedback,
} from 'sluice/sdk/media'

/** The time for which arrivals are gathered before they are reported to the sender. */
const INTERVAL_MS = 50
/** The number of arrivals that are reported at once, at the latest. */
const MAX_ARRIVALS = 200
/** The most packets that one feedback spans, lost ones included: arrivals further apart are left out. */
const MAX_SPAN = 2000
/** Arrivals this far apart do not fit one feedback. */
const MAX_STEP_MS = 4000
const TICKS_PER_REFERENCE = TRANSPORT_WIDE_REFERENCE_MS / TRANSPORT_WIDE_TICK_MS

type Arrival = { readonly number: number; readonly atMs: number }

/** Reports the arrival of a transport's packets to the sender, which estimates its bandwidth by it. */
export class ArrivalFeedback {
  readonly #senderSsrc: number
  readonly #unwrapper = new CounterUnwrapper(16)
  readonly #arrivals: Arrival[] = []
  /** The number after the last arrival that was reported. */
  #next: number | undefined
  #count = 0
  #mediaSsrc = 0

  /** @param senderSsrc the SSRC of this end */
  constructor(senderSsrc: number) {
    this.#senderSsrc = senderSsrc
  }

  /** Takes a packet's number within the transport, of 16 bits. @param nowMs a monotonic clock */
  add(sequenceNumber: number, mediaSsrc: number, nowMs: number): void {
    this.#mediaSsrc = mediaSsrc
    this.#arrivals.push({ number: this.#unwrapper.unwrap(sequenceNumber), atMs: nowMs })
  }

  /** Returns the feedback that is due; undefined if there is none. */
  take(nowMs: number): TransportFeedback | undefined {
    const [first] = this.#arrivals
    if (first === undefined) return undefined
    if (nowMs - first.atMs < INTERVAL_MS && this.#arrivals.length < MAX_ARRIVALS) return undefined
    const arrivals = this.#arrivals.splice(0).toSorted((a, b) => a.number - b.number || a.atMs - b.atMs)
    return this.#feedback(arrivals)
  }

  #feedback(arrivals: readonly Arrival[]): TransportFeedback | undefined {
    const highest = arrivals.at(-1)!.number
    const within = arrivals.filter(({ number, atMs }) => {
      return highest - number < MAX_SPAN && Math.abs(atMs - arrivals.at(-1)!.atMs) < MAX_STEP_MS
    })
    const lowest = within[0]!.number
    const isNear = this.#next !== undefined && this.#next <= lowest && highest - this.#next < MAX_SPAN
    const base = isNear ? this.#next! : lowest
    const referenceTime = Math.floor(within[0]!.atMs / TRANSPORT_WIDE_REFERENCE_MS)
    this.#next = Math.max(this.#next ?? highest, highest + 1)
    const feedback = {
      baseSequenceNumber: base & 0xffff,
      // A signed number of 24 bits, which the receiver continues across wraps.
      referenceTime: (referenceTime << 8) >> 8,
      feedbackCount: this.#count,
      arrivals: stepsOf(within, base, referenceTime * TICKS_PER_REFERENCE),
    }
    this.#count = (this.#count + 1) & 0xff
    return transportWideFeedback(this.#senderSsrc, this.#mediaSsrc, feedback)
  }
}

/** The steps from `base` on: for each packet the ticks between its arrival and that of the packet before; undefined for a lost packet. */
function stepsOf(arrivals: readonly Arrival[], base: number, referenceTicks: number): (number | undefined)[] {
  const steps: (number | undefined)[] = []
  let lastTicks = referenceTicks
  for (const { number, atMs } of arrivals) {
    // A packet that came twice counts when it first came.
    if (base + steps.length > number) continue
    while (base + steps.length < number) steps.push(undefined)
    const ticks = Math.round(atMs / TRANSPORT_WIDE_TICK_MS)
    steps.push(ticks - lastTicks)
    lastTicks = ticks
  }
  return steps
}
