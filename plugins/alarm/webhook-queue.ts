import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { errorCode, LogLimit, maskUrl, messageOf, type Webhook } from 'sluice/sdk'
import type { WebhookClient } from 'sluice/sdk/http'
import { alarmView, type AlarmEvent } from './alarm-event.ts'

/** Most events that wait for one web service; beyond it the oldest are dropped. */
export const MAX_WAITING = 5000
/** An event waits so long for its row, whose id it is told with. */
const ROW_PATIENCE_MS = 1000
/** How often the log says at most that events are lost, of each service and for each reason. */
const LOG_INTERVAL_MS = 60_000

/** The webhook of an event, as the config has it by a name and in the section of a plugin. */
export type HookKey = { readonly name: string; readonly plugin: string | undefined }

/** An event that a web service is to be told of: plain data, which one generation begins and another may finish. */
export type Delivery = {
  readonly event: AlarmEvent
  readonly hook: HookKey
  /** It gets a row, whose id it is told with. */
  readonly isStored: boolean
  /** How often it was tried. */
  tries: number
  /** When the next try is due, by the monotonic clock. */
  dueMs: number
}

/** The events that wait for one web service, of all generations. */
export type KeptQueue = {
  /** The oldest first, without the one that is being told. */
  waiting: Set<Delivery>
  /** A generation is telling the service. */
  isBusy: boolean
  dropped: number
}

export type WebhookQueueOptions = {
  readonly log: Logger
  readonly client: Pick<WebhookClient, 'send'>
  /** The webhook as it is by then; undefined when it is to be told no more. */
  readonly webhookOf: (hook: HookKey) => Webhook | undefined
  /** Resolves when an event has a row, or gets none now. */
  readonly row: (event: AlarmEvent) => Promise<void>
  /** Is called when the service has taken an event. */
  readonly sent: (event: AlarmEvent) => void
  /** Aborts when this generation begins no more tries. */
  readonly retiring: AbortSignal
  /** Settles when the next generation may go on with what waits; asked for once `retiring` has aborted. */
  readonly released: () => Promise<void>
}

/** Tells one web service of the events that wait for it, one after another, in order. */
export class WebhookQueue {
  readonly #target: string
  readonly #kept: KeptQueue
  readonly #options: WebhookQueueOptions
  readonly #log: Logger
  readonly #drops = new LogLimit(LOG_INTERVAL_MS)
  readonly #failures = new LogLimit(LOG_INTERVAL_MS)
  /** Settles when this generation tells nothing any more. */
  #worked: Promise<void> = Promise.resolve()

  constructor(target: string, kept: KeptQueue, options: WebhookQueueOptions) {
    this.#target = target
    this.#kept = kept
    this.#options = options
    this.#log = options.log.child({ url: maskUrl(urlOf(target)) })
  }

  /** Settles when all are told that wait now, as far as this generation tells them. */
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

  /** Tells what waits, unless that is under way. */
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

  /** @returns false when the next generation is to tell it */
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

function urlOf(target: string): string {
  const [, url] = JSON.parse(target) as readonly [string, string]
  return url
}
