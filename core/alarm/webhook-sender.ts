import type { Logger } from 'pino'
import type { Webhook } from 'sluice/sdk'
import { WebhookClient } from '../net/webhook-client.ts'
import type { AlarmEvent } from './alarm-event.ts'
import { targetOf, WebhookQueue, type Delivery } from './webhook-queue.ts'

/** Beyond so many web services those are forgotten that wait for nothing: the config has named others since. */
const MAX_IDLE_QUEUES = 100

type WebhookSenderOptions = {
  readonly log: Logger
  /** Is called when a service has taken an event. */
  readonly sent: (event: AlarmEvent) => void
}

/** Tells web services of events; none holds up another. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions
  readonly #client = new WebhookClient()
  readonly #stopping = new AbortController()
  readonly #queues = new Map<string, WebhookQueue>()

  constructor(options: WebhookSenderOptions) {
    this.#options = options
  }

  /** How many events wait, of all services. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((total, queue) => total + queue.waiting, 0)
  }

  /** How many services it has something for, or had lately. */
  get targets(): number {
    return this.#queues.size
  }

  tell(webhook: Webhook, delivery: Delivery): void {
    if (this.#stopping.signal.aborted) return
    const target = targetOf(webhook)
    const queue = this.#queues.get(target) ?? this.#open(webhook, target)
    queue.add(delivery)
  }

  /** Waits for what is to be told, so long at most. */
  async close(timeoutMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, timeoutMs)
    await Promise.race([Promise.all([...this.#queues.values()].map(({ idle }) => idle)), late])
    clearTimeout(timer)
    const unsent = this.waiting
    if (unsent > 0) this.#options.log.warn({ unsent }, 'the server stops before all web services were told')
    this.#stopping.abort()
    this.#client.close()
  }

  #open(webhook: Webhook, target: string): WebhookQueue {
    if (this.#queues.size >= MAX_IDLE_QUEUES) {
      for (const [other, { isIdle }] of this.#queues) if (isIdle) this.#queues.delete(other)
    }
    const { log, sent } = this.#options
    const queue = new WebhookQueue(webhook, { log, sent, client: this.#client, signal: this.#stopping.signal })
    this.#queues.set(target, queue)
    return queue
  }
}
