import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { errorCode, LogLimit, maskUrl, messageOf, type Webhook } from 'sluice/sdk'
import type { WebhookClient } from '../net/webhook-client.ts'
import { alarmView, type AlarmEvent } from './alarm-event.ts'

/** Most events that wait for one web service; beyond it the oldest are dropped. */
export const MAX_WAITING = 5000
/** An event waits so long for its row, whose id it is told with. */
const ROW_PATIENCE_MS = 1000
/** How often the log says at most that events are lost, of each service and for each reason. */
const LOG_INTERVAL_MS = 60_000

/** An event that a web service is to be told of. */
export type Delivery = {
  readonly event: AlarmEvent
  /** The webhook as it is by then; undefined when it is to be told no more. */
  readonly current: () => Webhook | undefined
  /** Resolves when the event has a row, or gets none now; undefined when it is not stored. */
  readonly stored: Promise<void> | undefined
}

type WebhookQueueOptions = {
  readonly log: Logger
  readonly client: Pick<WebhookClient, 'send'>
  /** Is called when the service has taken an event. */
  readonly sent: (event: AlarmEvent) => void
  /** Aborts when the server stops. */
  readonly signal: AbortSignal
}

/** The events for one web service, which is told one after another, in order. */
export class WebhookQueue {
  readonly #target: string
  readonly #options: WebhookQueueOptions
  readonly #log: Logger
  readonly #waiting = new Set<Delivery>()
  readonly #drops = new LogLimit(LOG_INTERVAL_MS)
  readonly #failures = new LogLimit(LOG_INTERVAL_MS)
  #isWorking = false
  /** Settles when nothing waits any more. */
  #worked: Promise<void> = Promise.resolve()
  #dropped = 0

  constructor(webhook: Webhook, options: WebhookQueueOptions) {
    this.#target = targetOf(webhook)
    this.#options = options
    this.#log = options.log.child({ url: maskUrl(webhook.url) })
  }

  /** How many wait, besides the one that is being told. */
  get waiting(): number {
    return this.#waiting.size
  }

  get isIdle(): boolean {
    return !this.#isWorking
  }

  /** Settles when all are told that wait now. */
  get idle(): Promise<void> {
    return this.#worked
  }

  add(delivery: Delivery): void {
    const [oldest] = this.#waiting
    if (oldest !== undefined && this.#waiting.size >= MAX_WAITING) {
      this.#waiting.delete(oldest)
      this.#dropped += 1
      const isTold = this.#drops.pass() !== undefined
      if (isTold) this.#log.warn({ dropped: this.#dropped }, 'a web service is too slow: events for it were dropped')
    }
    this.#waiting.add(delivery)
    if (!this.#isWorking) this.#worked = this.#work()
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      this.#waiting.delete(next)
      await this.#tell(next)
    }
    this.#isWorking = false
  }

  async #tell(delivery: Delivery): Promise<void> {
    const { sent, signal } = this.#options
    if (delivery.stored !== undefined) await this.#patiently(delivery.stored)
    for (let tries = 1; ; tries++) {
      const webhook = delivery.current()
      if (webhook === undefined || targetOf(webhook) !== this.#target || signal.aborted) return
      const failure = await this.#try(webhook, delivery.event)
      if (failure === undefined) return sent(delivery.event)
      if (tries > webhook.retrytimes) return this.#failed(delivery.event, failure)
      await delay(webhook.retryinterval, undefined, { signal }).catch(() => {})
    }
  }

  async #patiently(stored: Promise<void>): Promise<void> {
    const enough = new AbortController()
    const signal = AbortSignal.any([enough.signal, this.#options.signal])
    await Promise.race([stored, delay(ROW_PATIENCE_MS, undefined, { signal }).catch(() => {})])
    enough.abort()
  }

  /** @returns why the service has not taken the event; undefined when it has */
  async #try({ url, method, headers, timeoutseconds }: Webhook, event: AlarmEvent): Promise<string | undefined> {
    try {
      const body = JSON.stringify(alarmView(event))
      const { status } = await this.#options.client.send({
        url,
        method,
        headers,
        body,
        timeoutMs: timeoutseconds * 1000,
      })
      return status >= 200 && status <= 299 ? undefined : `it answered with status ${status}`
    } catch (error) {
      return messageOf(error) || errorCode(error)
    }
  }

  #failed({ name }: AlarmEvent, reason: string): void {
    const withheld = this.#failures.pass()
    if (withheld !== undefined) this.#log.warn({ event: name, reason, withheld }, 'a web service was not told')
  }
}

/** What tells web services apart: those with the same are told one after another. */
export function targetOf({ url, method, headers }: Webhook): string {
  return JSON.stringify([method, url, headers])
}
