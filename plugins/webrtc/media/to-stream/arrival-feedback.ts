import {
  CounterUnwrapper,
  TRANSPORT_WIDE_REFERENCE_MS,
  TRANSPORT_WIDE_TICK_MS,
  transportWideFeedback,
  type TransportFeedback,
} from 'sluice/sdk/media'

/** How long arrivals are gathered before the sender is told of them. */
const INTERVAL_MS = 50
/** Arrivals that are told of at once, at the latest. */
const MAX_ARRIVALS = 200
/** Packets that one feedback spans, lost ones included: what is further apart is left out. */
const MAX_SPAN = 2000
/** Arrivals this far apart do not fit one feedback. */
const MAX_STEP_MS = 4000
const TICKS_PER_REFERENCE = TRANSPORT_WIDE_REFERENCE_MS / TRANSPORT_WIDE_TICK_MS

type Arrival = { readonly number: number; readonly atMs: number }

/** Tells the sender how the packets of its transport arrive, by which it finds out how much the way can carry. */
export class ArrivalFeedback {
  readonly #senderSsrc: number
  readonly #unwrapper = new CounterUnwrapper(16)
  readonly #arrivals: Arrival[] = []
  /** The number behind those that were told of. */
  #next: number | undefined
  #count = 0
  #mediaSsrc = 0

  /** @param senderSsrc who says so */
  constructor(senderSsrc: number) {
    this.#senderSsrc = senderSsrc
  }

  /** Takes a packet's number within the transport, of 16 bits. `nowMs` is a monotonic clock. */
  add(sequenceNumber: number, mediaSsrc: number, nowMs: number): void {
    this.#mediaSsrc = mediaSsrc
    this.#arrivals.push({ number: this.#unwrapper.unwrap(sequenceNumber), atMs: nowMs })
  }

  /** Makes the feedback that is due; undefined if none is. */
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
      // 24 bits with a sign, as the receiver of it counts on with wraps.
      referenceTime: (referenceTime << 8) >> 8,
      feedbackCount: this.#count,
      arrivals: stepsOf(within, base, referenceTime * TICKS_PER_REFERENCE),
    }
    this.#count = (this.#count + 1) & 0xff
    return transportWideFeedback(this.#senderSsrc, this.#mediaSsrc, feedback)
  }
}

/** For each packet from `base` on, how many ticks after the one before that has come it came. */
function stepsOf(arrivals: readonly Arrival[], base: number, referenceTicks: number): (number | undefined)[] {
  const steps: (number | undefined)[] = []
  let lastTicks = referenceTicks
  for (const { number, atMs } of arrivals) {
    // A packet that came twice came when it did so first.
    if (base + steps.length > number) continue
    while (base + steps.length < number) steps.push(undefined)
    const ticks = Math.round(atMs / TRANSPORT_WIDE_TICK_MS)
    steps.push(ticks - lastTicks)
    lastTicks = ticks
  }
  return steps
}
