import { setTimeout as delay } from 'node:timers/promises'
import { WebhookClient } from 'sluice/sdk/http'
import type { Webhook } from 'sluice/sdk'
import { targetOf, WebhookQueue, type Delivery, type KeptQueue, type WebhookQueueOptions } from './webhook-queue.ts'

/** The number of queues from which on the empty ones are removed, as the config may have named other services since. */
const MAX_IDLE_QUEUES = 100

type WebhookSenderOptions = Pick<WebhookQueueOptions, 'log' | 'webhookOf' | 'row' | 'sent'> & {
  /** The queues of all generations, by target. */
  readonly kept: Map<string, KeptQueue>
}

/** Sends events to web services; a slow one does not delay the others. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions
  readonly #client = new WebhookClient()
  readonly #retiring = new AbortController()
  readonly #queues = new Map<string, WebhookQueue>()
  #released: Promise<void> = Promise.resolve()

  constructor(options: WebhookSenderOptions) {
    this.#options = options
  }

  /** The number of events that wait, for all services. */
  get waiting(): number {
    return this.#options.kept.values().reduce((total, { waiting }) => total + waiting.size, 0)
  }

  /** The number of services with a queue, including those that had events lately. */
  get targets(): number {
    return this.#options.kept.size
  }

  /** Settles when the events that wait now are sent, given up, or left to another generation. */
  async idle(): Promise<void> {
    await Promise.all(this.#queues.values().map(({ idle }) => idle))
  }

  tell(webhook: Webhook, { event, hook, isStored }: Omit<Delivery, 'tries' | 'dueMs'>): void {
    if (this.#retiring.signal.aborted) return
    const target = targetOf(webhook)
    this.#queueOf(target).add({ event, hook, isStored, tries: 0, dueMs: 0 })
  }

  /** Sends the events that another generation has left, unless one is sending them. */
  goOn(): void {
    if (this.#retiring.signal.aborted) return
    for (const target of this.#options.kept.keys()) this.#queueOf(target).goOn()
  }

  /**
   * Begins no more tries, and leaves the waiting events to the next generation.
   * @param released settles when the next generation may go on with them
   * @returns a promise that settles when the tries under way have ended
   */
  retire(released: Promise<void>): Promise<void> {
    this.#released = released
    this.#retiring.abort()
    return this.idle()
  }

  /**
   * Waits until all events are sent, for `timeoutMs` at most, and aborts the tries that are still under way.
   * @returns the number of events that still wait then
   */
  async close(timeoutMs: number): Promise<number> {
    const enough = new AbortController()
    const late = delay(timeoutMs, undefined, { signal: enough.signal }).catch(() => {})
    await Promise.race([this.idle(), late])
    enough.abort()
    const { waiting } = this
    this.#retiring.abort()
    this.#client.close()
    return waiting
  }

  #queueOf(target: string): WebhookQueue {
    const known = this.#queues.get(target)
    if (known !== undefined) return known
    const { kept, log, webhookOf, row, sent } = this.#options
    if (kept.size >= MAX_IDLE_QUEUES) this.#forgetIdle()
    const queue: KeptQueue = kept.get(target) ?? { waiting: new Set(), isBusy: false, dropped: 0 }
    kept.set(target, queue)
    const opened = new WebhookQueue(target, queue, {
      log,
      client: this.#client,
      webhookOf,
      row,
      sent,
      retiring: this.#retiring.signal,
      released: () => this.#released,
    })
    this.#queues.set(target, opened)
    return opened
  }

  #forgetIdle(): void {
    const { kept } = this.#options
    for (const [target, { isBusy, waiting }] of kept) {
      if (isBusy || waiting.size > 0) continue
      kept.delete(target)
      this.#queues.delete(target)
    }
  }
}
