import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { errorCode, LogLimit, maskUrl, messageOf, type Webhook } from 'sluice/sdk'
import type { WebhookClient } from 'sluice/sdk/http'
import { alarmView, type AlarmEvent } from './alarm-event.ts'

/** The most events that wait for one web service; beyond that, the oldest are dropped. */
export const MAX_WAITING = 5000
/** The longest that an event waits for its row, the id of which is in the webhook's body. */
const ROW_PATIENCE_MS = 1000
/** The least time between two log lines on lost events, for each service and reason. */
const LOG_INTERVAL_MS = 60_000

/** The key of a webhook in the config: the name of the event, and the plugin that has it in its section (undefined for `global`). */
export type HookKey = { readonly name: string; readonly plugin: string | undefined }

/** An event to be sent to a web service: plain data, so that another generation can finish the delivery. */
export type Delivery = {
  readonly event: AlarmEvent
  readonly hook: HookKey
  /** True when the event gets a row; the id of it is then in the webhook's body. */
  readonly isStored: boolean
  /** The number of tries so far. */
  tries: number
  /** The monotonic time of the next try, in milliseconds. */
  dueMs: number
}

/** The events that wait for one web service, of all generations. */
export type KeptQueue = {
  /** The waiting events, the oldest first; the one that is being sent is not among them. */
  waiting: Set<Delivery>
  /** True while a generation is sending to the service. */
  isBusy: boolean
  dropped: number
}

export type WebhookQueueOptions = {
  readonly log: Logger
  readonly client: Pick<WebhookClient, 'send'>
  /** Returns the current webhook; undefined when it is to receive no more events. */
  readonly webhookOf: (hook: HookKey) => Webhook | undefined
  /** Resolves when an event has a row, or gets none for now. */
  readonly row: (event: AlarmEvent) => Promise<void>
  /** Called when the service has accepted an event. */
  readonly sent: (event: AlarmEvent) => void
  /** Aborts when this generation begins no more tries. */
  readonly retiring: AbortSignal
  /** Returns a promise that settles when the next generation may go on with the queue; called once `retiring` has aborted. */
  readonly released: () => Promise<void>
}

/** Sends one web service the events that wait for it, one after another, in order. */
export class WebhookQueue {
  readonly #target: string
  readonly #kept: KeptQueue
  readonly #options: WebhookQueueOptions
  readonly #log: Logger
  readonly #drops = new LogLimit(LOG_INTERVAL_MS)
  readonly #failures = new LogLimit(LOG_INTERVAL_MS)
  /** Settles when this generation no longer sends. */
  #worked: Promise<void> = Promise.resolve()

  constructor(target: string, kept: KeptQueue, options: WebhookQueueOptions) {
    this.#target = target
    this.#kept = kept
    this.#options = options
    this.#log = options.log.child({ url: maskUrl(urlOf(target)) })
  }

  /** Settles when the events that wait now are sent, given up, or left to another generation. */
  get idle(): Promise<void> {
    return this.#worked
  }

  add(delivery: Delivery): void {
    const { waiting } = this.#kept
    const [oldest] = waiting
    if (oldest !== undefined && waiting.size >= MAX_WAITING) {
      waiting.delete(oldest)
      this.#kept.dropped += 1
      const { dropped } = this.#kept
      const isTold = this.#drops.pass() !== undefined
      if (isTold) this.#log.warn({ dropped }, 'a web service is too slow: events for it were dropped')
    }
    waiting.add(delivery)
    this.goOn()
  }

  /** Sends the waiting events, unless that is under way. */
  goOn(): void {
    if (!this.#kept.isBusy && this.#kept.waiting.size > 0) this.#worked = this.#work()
  }

  async #work(): Promise<void> {
    const { retiring, released } = this.#options
    this.#kept.isBusy = true
    while (!retiring.aborted) {
      const [next] = this.#kept.waiting
      if (next === undefined) break
      this.#kept.waiting.delete(next)
      const isOver = await this.#tell(next)
      if (!isOver) this.#kept.waiting = new Set([next, ...this.#kept.waiting])
    }
    if (retiring.aborted) await released()
    this.#kept.isBusy = false
  }

  /** @returns false when the delivery is left to the next generation */
  async #tell(delivery: Delivery): Promise<boolean> {
    const { row, sent, retiring, webhookOf } = this.#options
    const { event, hook, isStored } = delivery
    if (isStored) await this.#patiently(row(event))
    for (;;) {
      await this.#wait(delivery.dueMs - performance.now(), retiring)
      if (retiring.aborted) return false
      const webhook = webhookOf(hook)
      if (webhook === undefined || targetOf(webhook) !== this.#target) return true
      delivery.tries += 1
      const failure = await this.#try(webhook, event)
      if (failure === undefined) sent(event)
      else if (delivery.tries > webhook.retrytimes) this.#failed(event, failure)
      if (failure === undefined || delivery.tries > webhook.retrytimes) return true
      delivery.dueMs = performance.now() + webhook.retryinterval
    }
  }

  async #patiently(stored: Promise<void>): Promise<void> {
    const enough = new AbortController()
    const signal = AbortSignal.any([enough.signal, this.#options.retiring])
    await Promise.race([stored, this.#wait(ROW_PATIENCE_MS, signal)])
    enough.abort()
  }

  async #wait(durationMs: number, signal: AbortSignal): Promise<void> {
    if (durationMs > 0) await delay(durationMs, undefined, { signal }).catch(() => {})
  }

  /** @returns the reason for which the service has not accepted the event; undefined when it has */
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

/** Returns the identity of a web service; the events of one are sent one after another. */
export function targetOf({ url, method, headers }: Webhook): string {
  return JSON.stringify([method, url, headers])
}

function urlOf(target: string): string {
  const [, url] = JSON.parse(target) as readonly [string, string]
  return url
}
