import {
  definePlugin,
  ByteSize,
  Duration,
  PortRange,
  tcpConfig,
  Type,
  udpConfig,
  type PluginDefinition,
} from 'sluice/sdk'
import { createFakeHost, type WrittenConfig } from 'sluice/sdk/testing'
import { PluginFolder } from '../../core/host/testing/plugin-folder.ts'
import { keep } from '../peers/lifetime.ts'
import { Scrape } from '../support/scrape.ts'
import { startServer } from '../support/server.ts'

const OwnConfig = Type.Object({
  tcp: tcpConfig({ listenaddr: '127.0.0.1:0' }),
  udp: udpConfig({ listenaddr: '127.0.0.1:0' }),
  mediaports: PortRange({ default: '21000-29999' }),
  greeting: Type.String({ default: 'hello' }),
  pause: Duration({ default: '1m30s' }),
  room: ByteSize({ default: '64KB' }),
})

type Definition = PluginDefinition<typeof OwnConfig>
export type Setup = Definition['setup']
export type Context = Parameters<Setup>[0]

/** A plugin in a host, as one contract test drives it. */
export type ContractHost = {
  /** Of the newest generation. */
  readonly ctx: Context
  /** `http://127.0.0.1:<port>`; the plugin is mounted at `/contract` and `/c`. */
  readonly origin: string
  /** Applies another section. */
  configure(section: WrittenConfig): Promise<void>
  /** Lets a newer generation take over; resolves when it was begun. */
  replace(): Promise<void>
  unload(): Promise<void>
  /** The value of a series of its metrics. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined>
}

/** How to run the contract's plugin in a host. */
export type StartContractHost = (
  setup?: Setup,
  section?: WrittenConfig,
  more?: Pick<Definition, 'tables' | 'pages'>,
) => Promise<ContractHost>

/** Where the plugin's file on the disk finds the definition that the test made. */
const SHARED = Symbol.for('sluice.test.contract')
const PLUGIN_FILE = `export default globalThis[Symbol.for('sluice.test.contract')]\n`

export const startOnFakeHost: StartContractHost = async (setup = () => {}, section = {}, more = {}) => {
  const definition = definitionOf(setup, more)
  let host = await createFakeHost(definition, { config: section })
  const hosts = [host]
  const unload = async () => void (await Promise.all(hosts.map((each) => each.dispose())))
  keep({ close: unload })
  return {
    get ctx() {
      return host.ctx
    },
    get origin() {
      return host.http.origin
    },
    configure: async (changed) => host.configure(changed),
    async replace() {
      const former = host
      host = await createFakeHost(definition, {
        config: section,
        kept: former.kept,
        store: former.store,
        metrics: former.metrics,
        files: former.files,
      })
      hosts.push(host)
      former.drain()
    },
    unload,
    metric: async (name, labels) => host.metrics.value(name, labels),
  }
}

export const startOnServer: StartContractHost = async (setup = () => {}, section = {}, more = {}) => {
  let newest: Context | undefined
  const definition = definitionOf((ctx) => {
    newest = ctx
    return setup(ctx)
  }, more)
  Object.assign(globalThis, { [SHARED]: definition })
  const folder = await PluginFolder.create()
  keep({ close: () => folder.remove() })
  await folder.write('contract.mjs', PLUGIN_FILE)
  const running = await startServer({ config: sectionText(section), pluginFolders: [folder.path] })
  return {
    get ctx() {
      if (newest === undefined) throw new Error('the plugin was not set up')
      return newest
    },
    origin: running.http(''),
    configure: (changed) => running.writeConfig(sectionText(changed)),
    replace: () => folder.write('contract.mjs', PLUGIN_FILE),
    unload: () => running.server.host.stop('unloaded'),
    metric: async (name, labels) =>
      (await Scrape.of(running.http('/metrics'))).value(`sluice_contract_${name}`, labels),
  }
}

function definitionOf(setup: Setup, more: Pick<Definition, 'tables' | 'pages'>): Definition {
  return definePlugin({
    name: 'contract',
    version: '1.0.0',
    sdk: '^1',
    provides: ['contract:clock'],
    notices: ['contract:told', 'taskBegan', 'taskEnded', 'alarm'],
    mounts: ['contract', 'c'],
    live: ['greeting'],
    config: OwnConfig,
    defaults: { subscribe: { waittimeout: '80ms' } },
    ...more,
    setup,
  })
}

/** JSON is YAML. */
function sectionText(section: WrittenConfig): string {
  return JSON.stringify({ contract: section })
}

declare module 'sluice/sdk' {
  interface Services {
    'contract:clock': { now(): number }
    'contract:none': unknown
  }
}
