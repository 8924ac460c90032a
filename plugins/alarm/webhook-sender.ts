import { setTimeout as delay } from 'node:timers/promises'
import { WebhookClient } from 'sluice/sdk/http'
import type { Webhook } from 'sluice/sdk'
import { targetOf, WebhookQueue, type Delivery, type KeptQueue, type WebhookQueueOptions } from './webhook-queue.ts'

/** Beyond so many web services those are forgotten that wait for nothing: the config has named others since. */
const MAX_IDLE_QUEUES = 100

type WebhookSenderOptions = Pick<WebhookQueueOptions, 'log' | 'webhookOf' | 'row' | 'sent'> & {
  /** The queues of all generations, by target. */
  readonly kept: Map<string, KeptQueue>
}

/** Tells web services of events; none holds up another. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions
  readonly #client = new WebhookClient()
  readonly #retiring = new AbortController()
  readonly #queues = new Map<string, WebhookQueue>()
  #released: Promise<void> = Promise.resolve()

  constructor(options: WebhookSenderOptions) {
    this.#options = options
  }

  /** How many events wait, of all services. */
  get waiting(): number {
    return this.#options.kept.values().reduce((total, { waiting }) => total + waiting.size, 0)
  }

  /** How many services there is something for, or was lately. */
  get targets(): number {
    return this.#options.kept.size
  }

  /** Settles when all are told that wait now, as far as this generation tells them. */
  async idle(): Promise<void> {
    await Promise.all(this.#queues.values().map(({ idle }) => idle))
  }

  tell(webhook: Webhook, { event, hook, isStored }: Omit<Delivery, 'tries' | 'dueMs'>): void {
    if (this.#retiring.signal.aborted) return
    const target = targetOf(webhook)
    this.#queueOf(target).add({ event, hook, isStored, tries: 0, dueMs: 0 })
  }

  /** Tells what another generation has left, where none does. */
  goOn(): void {
    if (this.#retiring.signal.aborted) return
    for (const target of this.#options.kept.keys()) this.#queueOf(target).goOn()
  }

  /**
   * Begins no more tries, and leaves what waits to the next generation.
   * @param released settles when that may go on with what waits
   * @returns settles when the tries under way have ended
   */
  retire(released: Promise<void>): Promise<void> {
    this.#released = released
    this.#retiring.abort()
    return this.idle()
  }

  /**
   * Waits for what is to be told, so long at most, and gives the tries up that are still under way.
   * @returns how many events still wait then
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
