import { performance } from 'node:perf_hooks'
import type { Resolution, SessionRequest } from 'sluice/sdk'
import type { StreamSubscriber } from './stream-subscriber.ts'
import type { Elsewhere, TrackWait } from './track-wait.ts'

/** A path is asked about again after this, then after twice as long, and so on, up to the longest. */
const FIRST_INTERVAL_MS = 1000
const LONGEST_INTERVAL_MS = 10_000

type PathResolverOptions = {
  readonly path: string
  /** Those who wait for it and have had nothing of it yet. */
  readonly waiting: TrackWait
  readonly hasPublisher: () => boolean
  /** Never rejects. */
  readonly resolve: (request: SessionRequest) => Promise<Resolution>
  /** Has a subscriber wait so long from now. */
  readonly wait: (subscriber: StreamSubscriber, withinMs: number) => void
  /** Another first interval, for tests. */
  readonly intervalMs?: number
}

/**
 * Asks who can get a path while somebody waits for it: once at a time, and again some time after each answer, which may
 * have come to nothing.
 */
export class PathResolver {
  readonly #options: PathResolverOptions
  readonly #firstIntervalMs: number
  #intervalMs: number
  #asking = false
  #askedMs = -Infinity
  #timer: NodeJS.Timeout | undefined
  /** Until then whoever comes waits for what was answered, on the monotonic clock. */
  #promisedUntilMs = 0
  /** Until then they may wait, whatever their `waittimeout`. */
  #withinUntilMs = 0

  constructor(options: PathResolverOptions) {
    this.#options = options
    this.#firstIntervalMs = options.intervalMs ?? FIRST_INTERVAL_MS
    this.#intervalMs = this.#firstIntervalMs
  }

  /** How long from now an answer has those wait who come, in milliseconds; 0 when none says so. */
  get withinMs(): number {
    return Math.max(0, this.#withinUntilMs - performance.now())
  }

  /** Somebody has begun to wait. */
  begin(): void {
    if (performance.now() >= this.#promisedUntilMs) void this.#ask()
  }

  /** The path has lost its publisher, so what was answered is over. */
  resume(): void {
    this.#promisedUntilMs = 0
    this.#withinUntilMs = 0
    this.#askIn(Math.max(0, this.#askedMs + this.#intervalMs - performance.now()))
  }

  /** The path has a publisher, or nobody waits any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#intervalMs = this.#firstIntervalMs
  }

  async #ask(): Promise<void> {
    const asking = this.#subscriber()
    if (this.#asking || asking === undefined) return
    clearTimeout(this.#timer)
    this.#asking = true
    this.#askedMs = performance.now()
    const { path: streamPath, resolve } = this.#options
    // It may have asked for another path, and been led here.
    const answer = await resolve({ ...asking.request, streamPath })
    this.#asking = false
    if (this.#subscriber() === undefined) return
    if (typeof answer === 'boolean' || 'withinMs' in answer) this.#wait(answer)
    else this.#lead(answer, asking.request.protocol)
  }

  /** One who waits; undefined when nobody does, or when there is a publisher. */
  #subscriber(): StreamSubscriber | undefined {
    return this.#options.hasPublisher() ? undefined : this.#options.waiting.first
  }

  /** Addresses are of a protocol: those who wait by others have to be asked about, too. */
  #lead(elsewhere: Elsewhere, protocol: string): void {
    const { waiting } = this.#options
    const isLed = ({ request }: StreamSubscriber) => 'streamPath' in elsewhere || request.protocol === protocol
    for (const subscriber of waiting.all.filter(isLed)) waiting.release(subscriber, elsewhere)
    void this.#ask()
  }

  #wait(answer: Exclude<Resolution, Elsewhere>): void {
    const nowMs = performance.now()
    const withinMs = typeof answer === 'object' ? answer.withinMs : 0
    if (withinMs > 0) for (const subscriber of this.#options.waiting.all) this.#options.wait(subscriber, withinMs)
    const againInMs = Math.max(this.#intervalMs, withinMs)
    this.#withinUntilMs = nowMs + withinMs
    this.#promisedUntilMs = answer === false ? 0 : nowMs + againInMs
    this.#intervalMs = Math.min(this.#intervalMs * 2, LONGEST_INTERVAL_MS)
    this.#askIn(againInMs)
  }

  #askIn(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#ask(), delayMs).unref()
  }
}
