import { rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TObject, TSchema } from 'typebox'
import {
  definePlugin,
  type PluginConfig,
  type PluginContext,
  type PluginDefinition,
  type SessionRequest,
  type StreamManager,
} from 'sluice/sdk'
import { gateRemarks } from '../auth/config-remarks.ts'
import { Config } from '../config/config.ts'
import type { PluginView } from '../host/plugin-view.ts'
import { createLogger } from '../observe/logger.ts'
import { PLUGINS_FOLDER } from '../package-root.ts'
import { Server } from '../server.ts'
import { DefinitionFiles } from './definition-files.ts'

/** The plugin that publishes and subscribes for a test. */
const CLIENT = 'test-client'
const FREE_PORT = '127.0.0.1:0'
/** The interval at which the test server checks whether a generation has taken over. */
const POLL_MS = 10

/** A section in the form of the config file, durations and sizes with their units. */
type WrittenSection = { readonly [key: string]: unknown }

/** The options of {@link createTestServer}. */
export type TestServerOptions = {
  /** The plugin's section: `{ subscribe: { waittimeout: '100ms' } }`. Listening addresses are free ports unless given. */
  readonly config?: WrittenSection
  /** The `global` section. */
  readonly global?: WrittenSection
  /**
   * Plugins that run beside the tested one, with the defaults of their sections: definitions, or names of shipped plugins, such as
   * `relay` for the rules `pull` and `push`, and `recording` for `record`.
   */
  readonly beside?: readonly (PluginDefinition | string)[]
}

/** One line of a test server's log. */
export type TestLogRecord = {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  readonly msg: string
  readonly plugin?: string
  readonly [key: string]: unknown
}

/**
 * Runs a plugin on a real server without any other plugin unless the options name some, on free ports of the loopback
 * address. It has streams, gates, hooks, HTTP and generations as in production; the test's own streams and subscriptions
 * pass through all of it as any other.
 * @throws {Error} when the config is wrong, there is no shipped plugin of a name, or the plugin can't start; nothing stays open then
 */
export async function createTestServer<Own extends TObject>(
  plugin: PluginDefinition<Own>,
  options: TestServerOptions = {},
): Promise<TestServer<PluginConfig<Own>>> {
  const files = await DefinitionFiles.create()
  const server = new RunningServer(plugin, options, files)
  try {
    await server.start()
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** A running server with the tested plugin; see {@link createTestServer}. */
export interface TestServer<Config> {
  /** The context of the plugin's newest generation. */
  readonly ctx: PluginContext<Config>
  /** `http://127.0.0.1:<port>`: the plugin's routes are below its mounts, the admin operations below `/api`. */
  readonly origin: string
  /** The server's streams, as another plugin accesses them; the test acts as that plugin. */
  readonly streams: StreamManager
  /** All requests for sessions that passed the gates, in order, without the test's own by `streams`. */
  readonly requests: readonly SessionRequest[]
  /** All lines of the log, of every level. */
  readonly log: readonly TestLogRecord[]
  /** The warnings and errors of the log: a test of the good case expects none. */
  readonly problems: readonly TestLogRecord[]
  /**
   * Returns the port that the plugin listens on, by TCP, TLS or UDP.
   * @throws {Error} when there is none
   */
  port(kind?: 'tcp' | 'tls' | 'udp'): number
  /** Denies all sessions from now on but those of the test, with `cause` as the cause, which clients must not see. */
  denyAll(cause?: string): void
  /**
   * Writes another section into the config file, and resolves when the server has taken it over.
   * @throws {Error} when it is refused
   */
  configure(section: WrittenSection): Promise<void>
  /** Loads the plugin again, and resolves when the new generation has taken over; the sessions of the old one go on. */
  replace(): Promise<void>
  /** Stops the server, which unloads the plugin. Idempotent. */
  stop(): Promise<void>
}

class RunningServer<Own extends TObject> implements TestServer<PluginConfig<Own>> {
  readonly requests: SessionRequest[] = []
  readonly log: TestLogRecord[] = []
  readonly #plugin: PluginDefinition<Own>
  readonly #options: TestServerOptions
  readonly #files: DefinitionFiles
  #server: Server | undefined
  #ctx: PluginContext<PluginConfig<Own>> | undefined
  #client: PluginContext<unknown> | undefined
  #denial: string | undefined
  #stopping: Promise<void> | undefined

  constructor(plugin: PluginDefinition<Own>, options: TestServerOptions, files: DefinitionFiles) {
    this.#plugin = plugin
    this.#options = options
    this.#files = files
  }

  get ctx(): PluginContext<PluginConfig<Own>> {
    return started(this.#ctx)
  }

  get origin(): string {
    return `http://127.0.0.1:${portOf(started(this.#server).http.addresses, false)}`
  }

  get streams(): StreamManager {
    return started(this.#client).streams
  }

  get problems(): TestLogRecord[] {
    return this.log.filter(({ level }) => level === 'warn' || level === 'error' || level === 'fatal')
  }

  port(kind: 'tcp' | 'tls' | 'udp' = 'tcp'): number {
    const { listeners, udpListeners } = this.#view()
    if (kind !== 'udp') return portOf(listeners, kind === 'tls')
    const [listener] = udpListeners
    if (listener === undefined) throw new Error('there is no listener for UDP')
    return listener.port
  }

  denyAll(cause = 'denied by the test'): void {
    this.#denial = cause
  }

  async start(): Promise<void> {
    const { folder } = this.#files
    await this.#files.write(this.#observed())
    await this.#files.write(this.#clientPlugin())
    for (const other of this.#options.beside ?? []) {
      await (typeof other === 'string' ? this.#files.link(path.join(PLUGINS_FOLDER, other)) : this.#files.write(other))
    }
    const file = path.join(folder, 'config.yaml')
    await this.#writeSection(this.#options.config ?? {})
    const write = (line: string) => void this.log.push(JSON.parse(line) as TestLogRecord)
    const server = new Server({
      config: await Config.load({ file, env: {}, inspect: gateRemarks }),
      log: createLogger({ level: 'trace', destination: { write } }),
      pluginFolders: [folder],
    })
    this.#server = server
    await server.start()
    const { state, disableReason } = this.#view()
    if (state !== 'running') throw new Error(`plugin '${this.#plugin.name}' is not running: ${disableReason}`)
  }

  async configure(section: WrittenSection): Promise<void> {
    const known = this.log.length
    await this.#writeSection(section)
    await started(this.#server).reload()
    const refused = this.log.slice(known).find(({ err }) => err !== undefined)
    if (refused !== undefined) throw new Error(`${refused.msg}: ${JSON.stringify(refused['err'])}`)
  }

  async replace(): Promise<void> {
    const before = this.#view().generation
    await this.#files.write(this.#observed())
    while (this.#view().generation === before) await delay(POLL_MS)
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    await this.#server?.stop('the test is over')
    await this.#files.remove()
  }

  #view(): PluginView {
    const view = started(this.#server)
      .host.list()
      .find(({ name }) => name === this.#plugin.name)
    return started(view)
  }

  /** The tested plugin, wrapped so that the test server gets its context. */
  #observed(): PluginDefinition<Own> {
    const plugin = this.#plugin
    return {
      ...plugin,
      setup: (ctx) => {
        this.#ctx = ctx
        return plugin.setup(ctx)
      },
    }
  }

  #clientPlugin(): PluginDefinition {
    return definePlugin({
      name: CLIENT,
      version: '1.0.0',
      setup: (ctx) => {
        this.#client = ctx
        for (const hook of ['publish', 'subscribe'] as const) ctx.hooks.on(hook, (request) => this.#admit(request))
      },
    })
  }

  #admit(request: SessionRequest): void {
    if (request.protocol === CLIENT) return
    this.requests.push(request)
    if (this.#denial !== undefined) throw new Error(this.#denial)
  }

  async #writeSection(section: WrittenSection): Promise<void> {
    const { name, config } = this.#plugin
    const datadir = path.join(this.#files.folder, 'data')
    const recordings = path.join(this.#files.folder, 'recordings')
    const global = {
      loglevel: 'trace',
      datadir,
      storage: { local: { path: recordings } },
      ...this.#options.global,
      http: { listenaddr: FREE_PORT, listenaddrtls: '' },
    }
    const own = { ...freePorts(config), ...section }
    const file = path.join(this.#files.folder, 'config.yaml')
    // The file is replaced in one step, as the server watches it and must never read half of it. JSON is YAML.
    await writeFile(`${file}.new`, JSON.stringify({ global, [name]: own }))
    await rename(`${file}.new`, file)
  }
}

/** Free ports for the groups of a schema that have listening addresses. */
function freePorts(schema: TObject | undefined): WrittenSection {
  const groups = Object.entries(schema?.properties ?? {}).filter(([, group]) => {
    return 'properties' in group && Object.hasOwn(group.properties as object, 'listenaddr')
  })
  return Object.fromEntries(
    groups.map(([name, group]) => [name, { listenaddr: takesList(group) ? [FREE_PORT] : FREE_PORT }]),
  )
}

/** True where a group has a list of addresses. */
function takesList(group: TSchema): boolean {
  const { properties } = group as Partial<TObject>
  return properties?.['listenaddr'] !== undefined && 'items' in properties['listenaddr']
}

function portOf(addresses: readonly { readonly port: number; readonly tls: boolean }[], tls: boolean): number {
  const port = addresses.find((address) => address.tls === tls)?.port
  if (port === undefined) throw new Error(`there is no listener${tls ? ' with TLS' : ''}`)
  return port
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the test server has not started')
  return part
}
