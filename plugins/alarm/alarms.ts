import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Database, HookConfig, Kysely, PluginContext, PluginDirectory, ServerConfig, Webhook } from 'sluice/sdk'
import { AlarmArchive, LOSS } from './alarm-archive.ts'
import { ALARM_TYPES, createEvent, type AlarmEvent, type AlarmName, type Happening } from './alarm-event.ts'
import type { AlarmTables } from './alarm-tables.ts'
import type { HookKey, KeptQueue } from './webhook-queue.ts'
import { WebhookSender } from './webhook-sender.ts'

/** Of the time that is left at the end, what storing gets at most. */
const STORE_CLOSE_MS = 500
/** How long a generation that was replaced tries to store what it has, before it hands that on. */
const HANDOVER_MS = 10_000

/** What a generation takes over from the others. */
type Successor = {
  /** Tells the web services what waits for them, where no other generation does. */
  readonly goOn: () => void
  /** Has events stored, or noted as sent. */
  readonly store: (events: readonly AlarmEvent[]) => void
}

/** What all generations of the plugin have in common. */
export type KeptAlarms = {
  /** The events that wait for web services, by what tells these apart. */
  readonly queues: Map<string, KeptQueue>
  /** When the server was last told to be up, or could not be as nobody wants to know; by the monotonic clock. */
  keptAliveMs: number
  /** The newest generation, which takes itself out again. */
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

/** Has what happens stored and told to web services as `hook` says (config.md 3.5). It decides nothing. */
export class Alarms {
  readonly archive: AlarmArchive
  readonly #options: AlarmsOptions
  readonly #sender: WebhookSender
  readonly #localIp: string
  readonly #self: Successor
  /** Settles when all rows are written or handed on; undefined while this generation stores what happens. */
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

  /** This generation is the newest. Idempotent. */
  takeOver(): void {
    this.#options.kept.newest = this.#self
    this.#sender.goOn()
  }

  /**
   * A newer generation has taken over: ends what is under way, and hands on the rest.
   * @returns settles when that is done
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

  /** Settles when the web services were told of all that waits now. */
  idle(): Promise<void> {
    return this.#sender.idle()
  }

  /** Tells and stores what is left, so long at most. */
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

  /** The server is up. */
  start(): void {
    this.raise('system_start', undefined, () => ({ description: 'the server is up' }))
    this.#options.kept.keptAliveMs = performance.now()
  }

  /** Tells that the server is up, where that is due. */
  keepAlive(): void {
    const { kept } = this.#options
    const nowMs = performance.now()
    const webhook = this.#webhookOf({ name: 'server_keep_alive', plugin: undefined })
    if (webhook !== undefined && nowMs - kept.keptAliveMs < webhook.interval * 1000) return
    kept.keptAliveMs = nowMs
    this.raise('server_keep_alive', undefined, () => ({ description: 'the server is up' }))
  }

  /** Makes an event, where somebody wants to know of it. */
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

  /** Has the row of an event say that it was sent. */
  #sent(event: AlarmEvent): void {
    event.isSent = true
    if (this.#stored !== undefined) void this.#stored.then(() => this.#options.kept.newest?.store(rowed(event)))
    else this.#self.store(rowed(event))
  }

  /** The webhook of an event: that of its plugin's section, which inherits those of `global`. */
  #webhookOf({ name, plugin }: HookKey): Webhook | undefined {
    const { global, plugins } = this.#options
    const hook = (plugin === undefined ? undefined : plugins.get(plugin)?.config.hook) ?? global().hook
    return Object.hasOwn(hook, name) ? hook[name as keyof HookConfig] : hook.default
  }
}

/** One without a row gets none for that, and has it said as it is inserted where it waits for one. */
function rowed(event: AlarmEvent): readonly AlarmEvent[] {
  return event.id > 0 ? [event] : []
}
