import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Database, HookConfig, Kysely, PluginContext, PluginDirectory, ServerConfig, Webhook } from 'sluice/sdk'
import { AlarmArchive, LOSS } from './alarm-archive.ts'
import { ALARM_TYPES, createEvent, type AlarmEvent, type AlarmName, type Happening } from './alarm-event.ts'
import type { AlarmTables } from './alarm-tables.ts'
import type { HookKey, KeptQueue } from './webhook-queue.ts'
import { WebhookSender } from './webhook-sender.ts'

/** The part of the closing time that is reserved for storing. */
const STORE_CLOSE_MS = 500
/** The longest that a replaced generation tries to store its events before it hands them on. */
const HANDOVER_MS = 10_000

/** The newest generation, as the others see it: it takes over their events. */
type Successor = {
  /** Sends the web services the events that wait for them, unless another generation is sending. */
  readonly goOn: () => void
  /** Stores events, or marks their rows as sent. */
  readonly store: (events: readonly AlarmEvent[]) => void
}

/** The state that all generations of the plugin share. */
export type KeptAlarms = {
  /** The events that wait for web services, by target; see `targetOf`. */
  readonly queues: Map<string, KeptQueue>
  /** The monotonic time in milliseconds of the latest `system_start` or `server_keep_alive`, also when no webhook is set for it. */
  keptAliveMs: number
  /** The newest generation; undefined once it has closed. */
  newest: Successor | undefined
}

type AlarmsOptions = {
  readonly log: Logger
  readonly kept: KeptAlarms
  readonly tables: Kysely<AlarmTables>
  readonly database: Pick<Database, 'onAvailable'>
  readonly global: () => Pick<ServerConfig, 'armed' | 'publicip' | 'hook'>
  readonly plugins: Pick<PluginDirectory, 'get'>
  readonly addresses: PluginContext<unknown>['net']['addresses']
}

/** Stores events and sends them to web services, as `hook` of the config demands (config.md 3.5). It admits and refuses nothing. */
export class Alarms {
  readonly archive: AlarmArchive
  readonly #options: AlarmsOptions
  readonly #sender: WebhookSender
  readonly #localIp: string
  readonly #self: Successor
  /** Settles when all rows are written or handed on; undefined while this generation stores events. */
  #stored: Promise<void> | undefined
  #retired: Promise<void> | undefined

  constructor(options: AlarmsOptions) {
    const { log, kept, tables, database, addresses } = options
    this.#options = options
    this.#localIp = addresses().outward[0] ?? '127.0.0.1'
    this.archive = new AlarmArchive({ log, tables, database })
    this.#sender = new WebhookSender({
      log,
      kept: kept.queues,
      webhookOf: (hook) => (options.global().armed ? this.#webhookOf(hook) : undefined),
      row: (event) => this.archive.row(event),
      sent: (event) => this.#sent(event),
    })
    this.#self = {
      goOn: () => this.#sender.goOn(),
      store: (events) => events.forEach((event) => this.archive.add(event)),
    }
  }

  /** Makes this generation the newest, to which the others hand their events on. Idempotent. */
  takeOver(): void {
    this.#options.kept.newest = this.#self
    this.#sender.goOn()
  }

  /**
   * Ends the tries under way, and hands the other events on to the newer generation that has taken over.
   * @returns a promise that settles when that is done
   */
  retire(): Promise<void> {
    const { kept } = this.#options
    this.#stored = this.archive.close(HANDOVER_MS).then((unstored) => kept.newest?.store(unstored))
    this.#retired = this.#sender
      .retire(this.#stored)
      .then(() => this.#stored)
      .then(() => kept.newest?.goOn())
    return this.#retired
  }

  /** Settles when the events that wait now are sent or given up. */
  idle(): Promise<void> {
    return this.#sender.idle()
  }

  /** Sends and stores the remaining events, for `timeoutMs` at most. */
  async close(timeoutMs: number): Promise<void> {
    const { kept, log } = this.#options
    const endMs = performance.now() + timeoutMs
    const isNewest = kept.newest === this.#self
    const unsent = await this.#sender.close(Math.max(0, timeoutMs - STORE_CLOSE_MS))
    await this.#retired
    if (!isNewest) return
    kept.newest = undefined
    if (unsent > 0) log.warn({ unsent }, 'the server stops before all web services were told')
    const unstored = await this.archive.close(Math.max(0, endMs - performance.now()))
    const dropped = this.archive.dropped + unstored.length
    if (unstored.length > 0) log.warn({ dropped }, `${LOSS}: the database takes none`)
  }

  /** Raises `system_start`. */
  start(): void {
    this.raise('system_start', undefined, () => ({ description: 'the server is up' }))
    this.#options.kept.keptAliveMs = performance.now()
  }

  /** Raises `server_keep_alive` when it is due. */
  keepAlive(): void {
    const { kept } = this.#options
    const nowMs = performance.now()
    const webhook = this.#webhookOf({ name: 'server_keep_alive', plugin: undefined })
    if (webhook !== undefined && nowMs - kept.keptAliveMs < webhook.interval * 1000) return
    kept.keptAliveMs = nowMs
    this.raise('server_keep_alive', undefined, () => ({ description: 'the server is up' }))
  }

  /** Creates an event and stores or sends it, when its webhook is set to do so. */
  raise(name: string, plugin: string | undefined, happening: () => Happening): void {
    const hook: HookKey = { name, plugin }
    const webhook = this.#webhookOf(hook)
    const { armed, publicip } = this.#options.global()
    const isTold = armed && webhook !== undefined && webhook.url !== ''
    if (webhook === undefined || !(isTold || webhook.savealarm)) return
    const type = Object.hasOwn(ALARM_TYPES, name) ? ALARM_TYPES[name as AlarmName] : undefined
    const event = createEvent(`${hostname()} (${publicip || this.#localIp})`, name, { type, ...happening() })
    if (webhook.savealarm) this.archive.add(event)
    if (isTold) this.#sender.tell(webhook, { event, hook, isStored: webhook.savealarm })
  }

  /** Marks the row of an event as sent. */
  #sent(event: AlarmEvent): void {
    event.isSent = true
    if (this.#stored !== undefined) void this.#stored.then(() => this.#options.kept.newest?.store(rowed(event)))
    else this.#self.store(rowed(event))
  }

  /** Returns the webhook of an event from the section of its plugin, which inherits those of `global`. */
  #webhookOf({ name, plugin }: HookKey): Webhook | undefined {
    const { global, plugins } = this.#options
    const hook = (plugin === undefined ? undefined : plugins.get(plugin)?.config.hook) ?? global().hook
    return Object.hasOwn(hook, name) ? hook[name as keyof HookConfig] : hook.default
  }
}

/** Returns the event when it has a row. An event without one is either not stored, or still to be inserted, as sent. */
function rowed(event: AlarmEvent): readonly AlarmEvent[] {
  return event.id > 0 ? [event] : []
}
