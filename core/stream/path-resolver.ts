import { performance } from 'node:perf_hooks'
import type { Resolution, SessionRequest } from 'sluice/sdk'
import type { StreamSubscriber } from './stream-subscriber.ts'
import type { Elsewhere, TrackWait } from './track-wait.ts'

/** The first interval between two requests for a path; each further one is twice as long, up to the longest. */
const FIRST_INTERVAL_MS = 1000
const LONGEST_INTERVAL_MS = 10_000

type PathResolverOptions = {
  readonly path: string
  /** The subscribers that wait for the path and have got nothing of it yet. */
  readonly waiting: TrackWait
  readonly hasPublisher: () => boolean
  /** Asks the `resolve` hooks. Never rejects. */
  readonly resolve: (request: SessionRequest) => Promise<Resolution>
  /** Makes a subscriber wait for this time from now on. */
  readonly wait: (subscriber: StreamSubscriber, withinMs: number) => void
  /** The first interval in place of `FIRST_INTERVAL_MS`, for tests. */
  readonly intervalMs?: number
}

/**
 * Asks the hooks for a path while subscribers wait for it: one request at a time, and another some time after each answer,
 * which may have come to nothing.
 */
export class PathResolver {
  readonly #options: PathResolverOptions
  readonly #firstIntervalMs: number
  #intervalMs: number
  #asking = false
  #askedMs = -Infinity
  #timer: NodeJS.Timeout | undefined
  /** The time until which new subscribers wait for the last answer to come true, on the monotonic clock. */
  #promisedUntilMs = 0
  /** The time until which subscribers may wait, whatever their `waittimeout`. */
  #withinUntilMs = 0

  constructor(options: PathResolverOptions) {
    this.#options = options
    this.#firstIntervalMs = options.intervalMs ?? FIRST_INTERVAL_MS
    this.#intervalMs = this.#firstIntervalMs
  }

  /** The time for which the last answer makes new subscribers wait, in milliseconds; 0 when it has none. */
  get withinMs(): number {
    return Math.max(0, this.#withinUntilMs - performance.now())
  }

  /** Asks for the path, as a subscriber has begun to wait. */
  begin(): void {
    if (performance.now() >= this.#promisedUntilMs) void this.#ask()
  }

  /** Asks again, as the path has lost its publisher and the last answer does not hold any more. */
  resume(): void {
    this.#promisedUntilMs = 0
    this.#withinUntilMs = 0
    this.#askIn(Math.max(0, this.#askedMs + this.#intervalMs - performance.now()))
  }

  /** Stops asking, as the path has a publisher, or no subscriber waits any more. */
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
    // The subscriber may have asked for another path, and been moved to this one.
    const answer = await resolve({ ...asking.request, streamPath })
    this.#asking = false
    if (this.#subscriber() === undefined) return
    if (typeof answer === 'boolean' || 'withinMs' in answer) this.#wait(answer)
    else this.#releaseTo(answer, asking.request.protocol)
  }

  /** A subscriber that waits; undefined when there is none, or when there is a publisher. */
  #subscriber(): StreamSubscriber | undefined {
    return this.#options.hasPublisher() ? undefined : this.#options.waiting.first
  }

  /**
   * Releases the subscribers to another path or address. An address is for one protocol: the hooks are asked again for
   * subscribers of other protocols.
   */
  #releaseTo(elsewhere: Elsewhere, protocol: string): void {
    const { waiting } = this.#options
    const isReleased = ({ request }: StreamSubscriber) => 'streamPath' in elsewhere || request.protocol === protocol
    for (const subscriber of waiting.all.filter(isReleased)) waiting.release(subscriber, elsewhere)
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
