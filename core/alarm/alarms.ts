import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { HookConfig, HookRegistry, StreamTask, StreamTaskEnd, SubscriberInfo, Webhook } from 'sluice/sdk'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import { localAddress } from '../net/local-address.ts'
import type { Store } from '../store/store.ts'
import { AlarmArchive } from './alarm-archive.ts'
import { ALARM_TYPES, createEvent, type AlarmName, type Happening } from './alarm-event.ts'
import { WebhookSender } from './webhook-sender.ts'

/** How often it is looked whether the next `server_keep_alive` is due. */
const BEAT_MS = 1000
/** Of the time that is left when the server stops, what storing gets at most. */
const STORE_CLOSE_MS = 500

/** The config as it is now. */
export interface AlarmConfig {
  readonly global: { readonly hook: HookConfig; readonly armed: boolean; readonly publicip: string }
  /** The section of a plugin; undefined once the plugin was removed. */
  section(plugin: string): { readonly values: { readonly hook: HookConfig } } | undefined
}

type AlarmsOptions = {
  readonly log: Logger
  readonly config: AlarmConfig
  readonly hooks: Pick<HookRunner, 'registryFor'>
  readonly store: Pick<Store, 'tables' | 'onAvailable'>
}

/** Hears what happens, and has it stored and told to web services as `hook` says (config.md 3.5). It decides nothing. */
export class Alarms {
  readonly archive: AlarmArchive
  readonly #config: AlarmConfig
  readonly #sender: WebhookSender
  readonly #localIp = localAddress() ?? '127.0.0.1'
  #beat: NodeJS.Timeout | undefined
  /** When the server was last told to be up, or could not be as nobody wants to know. */
  #keptAliveMs = 0

  constructor({ log, config, hooks, store }: AlarmsOptions) {
    this.#config = config
    const archive = new AlarmArchive({ log, store })
    this.archive = archive
    this.#sender = new WebhookSender({
      log,
      sent(event) {
        event.isSent = true
        archive.sent(event)
      },
    })
    this.#listen(hooks.registryFor({ plugin: 'global', log }))
  }

  /** The server is up. */
  start(): void {
    this.#raise('system_start', undefined, () => ({ description: 'the server is up' }))
    this.#keptAliveMs = performance.now()
    this.#beat = setInterval(() => this.#keepAlive(), BEAT_MS).unref()
  }

  /** Tells and stores what is left, so long at most. */
  async close(timeoutMs: number): Promise<void> {
    clearInterval(this.#beat)
    const endMs = performance.now() + timeoutMs
    await this.#sender.close(Math.max(0, timeoutMs - STORE_CLOSE_MS))
    await this.archive.close(Math.max(0, endMs - performance.now()))
  }

  #listen(hooks: HookRegistry): void {
    hooks.on('published', ({ path: streamPath, pluginName }) =>
      this.#raise('publish_start', pluginName, () => ({ streamPath, description: `published by ${pluginName}` })),
    )
    hooks.on('unpublished', ({ path: streamPath, pluginName }, { text }) =>
      this.#raise('publish_end', pluginName, () => ({
        streamPath,
        description: `published by ${pluginName}: ${text}`,
      })),
    )
    hooks.on('subscribed', (viewer) => {
      if (viewer.type === 'server') this.#raise('subscribe_start', viewer.pluginName, () => viewing(viewer))
    })
    hooks.on('unsubscribed', (viewer, { text }) => {
      if (viewer.type === 'server') this.#raise('subscribe_end', viewer.pluginName, () => viewing(viewer, text))
    })
    hooks.on('taskBegan', (task) => this.#raise(`${task.kind}_start`, task.plugin, () => working(task)))
    hooks.on('taskEnded', (task, end) => this.#raise(`${task.kind}_end`, task.plugin, () => working(task, end)))
    hooks.on('alarm', (alarm) => this.#raise(alarm.name, alarm.plugin, () => alarm))
  }

  #keepAlive(): void {
    const nowMs = performance.now()
    const webhook = this.#webhookOf('server_keep_alive')
    if (webhook !== undefined && nowMs - this.#keptAliveMs < webhook.interval * 1000) return
    this.#keptAliveMs = nowMs
    this.#raise('server_keep_alive', undefined, () => ({ description: 'the server is up' }))
  }

  /** Makes an event, where somebody wants to know of it. */
  #raise(name: string, plugin: string | undefined, happening: () => Happening): void {
    const webhook = this.#webhookOf(name, plugin)
    const { armed, publicip } = this.#config.global
    const isTold = armed && webhook !== undefined && webhook.url !== ''
    if (webhook === undefined || !(isTold || webhook.savealarm)) return
    const type = Object.hasOwn(ALARM_TYPES, name) ? ALARM_TYPES[name as AlarmName] : undefined
    const event = createEvent(`${hostname()} (${publicip || this.#localIp})`, name, { type, ...happening() })
    const stored = webhook.savealarm ? this.archive.add(event) : undefined
    const current = () => (this.#config.global.armed ? this.#webhookOf(name, plugin) : undefined)
    if (isTold) this.#sender.tell(webhook, { event, stored, current })
  }

  /** The webhook of an event: that of its plugin's section, which inherits those of `global`. */
  #webhookOf(name: string, plugin?: string): Webhook | undefined {
    const { global } = this.#config
    const hook = (plugin === undefined ? undefined : this.#config.section(plugin)?.values.hook) ?? global.hook
    return Object.hasOwn(hook, name) ? hook[name as keyof HookConfig] : hook.default
  }
}

function viewing({ streamPath, pluginName, remoteAddr }: SubscriberInfo, reason = ''): Happening {
  return { streamPath, description: withReason(`played by ${pluginName} from ${remoteAddr}`, reason) }
}

function working({ streamPath, filePath, description }: StreamTask, end?: StreamTaskEnd): Happening {
  const isRetried = end?.isRetried === true ? ', and is tried again' : ''
  return { streamPath, filePath, description: withReason(description, `${end?.reason ?? ''}${isRetried}`) }
}

function withReason(what: string, reason: string): string {
  return reason === '' ? what : `${what}: ${reason}`
}
