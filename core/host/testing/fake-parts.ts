import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import fastify from 'fastify'
import type { Logger } from 'pino'
import type { InheritedConfig, PluginDefinition, StreamManager, TcpConfig } from 'sluice/sdk'
import { LocalStorage, MetricTable } from 'sluice/sdk/host'
import { directDialer, FakePulls, FakePushes, globalConfig } from 'sluice/sdk/testing'
import { Readiness } from '../../base/readiness.ts'
import { TaskTree } from '../../observe/task-tree.ts'
import type { GenerationParts, PluginSection } from '../generation/generation-parts.ts'
import { HookRunner } from '../hooks/hook-runner.ts'
import { KnownPlugins } from '../known-plugins.ts'
import { ServiceDirectory } from '../service-directory.ts'
import { logLines } from './log-lines.ts'

/** A generation's streams, which a test controls. */
export type FakeStreams = {
  sessionCount: number
  asked: number
  closed: string[]
  disposed: boolean
  config: unknown
  authHandler: unknown
}
/** A port: its connection handlers, the number of its leases, and how often it was acquired. */
type FakePort = { handlers: ((socket: Socket) => void)[]; leases: number; acquired: number }
export type FakeHttp = { openRequests: number; active: boolean; retired: boolean; disposed: boolean }

class FakeSocket extends EventEmitter {
  destroyed = false

  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
}

/** The parts of the server as plain objects, which a test can inspect. */
export class FakeParts {
  readonly logged = logLines()
  readonly hooks = new HookRunner({ timeoutMs: 100 })
  readonly tasks = new TaskTree()
  readonly services = new ServiceDirectory()
  readonly plugins = new KnownPlugins()
  readonly readiness = new Readiness()
  readonly pulls = new FakePulls()
  readonly metrics = new MetricTable({ onError: () => {} })
  /** The streams by plugin and generation: `rtmp 1`. */
  readonly streams = new Map<string, FakeStreams>()
  /** The HTTP parts by plugin, in the order of their creation. */
  readonly http = new Map<string, FakeHttp[]>()
  readonly ports = new Map<string, FakePort>()
  /** The sections by plugin; a test changes them before it calls `applyConfig`. */
  readonly sections = new Map<string, { enabled?: boolean; values?: Record<string, unknown>; error?: Error }>()
  readonly declared = new Set<string>()
  /** Called while a port is being bound. */
  onAcquire: (config: TcpConfig) => void | Promise<void> = () => {}

  /** Called while a plugin's section is forgotten. */
  onForget: () => void = () => {}

  /** Called in the turn in which a generation takes a port over. */
  onActivate: () => void | Promise<void> = () => {}

  /** The error of binding ports when a generation takes over. */
  bindError: Error | undefined

  get log(): Logger {
    return this.logged.log
  }

  get parts(): GenerationParts {
    return {
      node: { id: 'test', process: 0, processes: 1 },
      createLog: (plugin) => this.log.child({ plugin }),
      hooks: this.hooks,
      tasks: this.tasks,
      services: this.services,
      metrics: this.metrics,
      store: { lend: noTables, exists: false, onAvailable: () => () => {} },
      files: { local: new LocalStorage({ root: 'none' }), backup: undefined },
      jobs: { pulls: this.pulls, pushes: new FakePushes(), start: noJobs },
      plugins: this.plugins,
      readiness: this.readiness,
      global: () => globalConfig(),
      streams: { forOwner: ({ plugin, generation, config }) => this.#createStreams(`${plugin} ${generation}`, config) },
      addresses: () => ({ outward: [], loopback: ['127.0.0.1'], publicIpv4: undefined, publicIpv6: undefined }),
      dialer: () => directDialer,
      net: {
        acquire: async (owner, config, accept) => {
          await this.onAcquire(config)
          return this.#acquire(`${owner.plugin} ${config.listenaddr}`, accept)
        },
        acquireUdp: noPorts,
        takePort: noPorts,
        takePortPair: noPorts,
        takeTcpPort: noPorts,
        openCertificate: noPorts,
      },
      http: { createPluginHttp: async ({ name }) => this.#createHttp(name) },
      config: {
        locate: () => {},
        resolve: (definition) => this.#section(definition),
        declare: (definition) => {
          const section = this.#section(definition)
          this.declared.add(definition.name)
          return section
        },
        propose: () => {},
        forget: (name) => {
          this.onForget()
          this.declared.delete(name)
        },
      },
    }
  }

  /** Connects a client to a port. */
  connect(port: string): FakeSocket {
    const socket = new FakeSocket()
    this.ports.get(port)?.handlers.at(-1)?.(socket as unknown as Socket)
    return socket
  }

  #section({ name }: PluginDefinition): PluginSection {
    const { enabled = true, values = {}, error } = this.sections.get(name) ?? {}
    if (error !== undefined) throw error
    const inherited = { loglevel: 'debug', http: {}, publish: {}, subscribe: {} } as unknown as InheritedConfig
    return { enabled, values: { ...inherited, ...values }, sources: new Map(), userConfig: '' }
  }

  #createStreams(key: string, config: unknown) {
    const start = { sessionCount: 0, asked: 0, closed: [], disposed: false, authHandler: null }
    const streams: FakeStreams = { ...start, config }
    const manager: Partial<StreamManager> = { setStreamAuthHandler: (handler) => void (streams.authHandler = handler) }
    this.streams.set(key, streams)
    return {
      manager: manager as StreamManager,
      get sessionCount() {
        streams.asked += 1
        return streams.sessionCount
      },
      configure: (changed: unknown) => void (streams.config = changed),
      close(reason: string) {
        streams.closed.push(reason)
        streams.sessionCount = 0
      },
      dispose: () => void (streams.disposed = true),
    }
  }

  #acquire(key: string, onConnection: (socket: Socket) => void) {
    const port = this.ports.get(key) ?? { handlers: [], leases: 0, acquired: 0 }
    this.ports.set(key, port)
    port.leases += 1
    port.acquired += 1
    let released = false
    return {
      addresses: [{ host: '::', port: 1935, tls: false }],
      handOver: () => false,
      bind: async () => {
        if (this.bindError !== undefined) throw this.bindError
      },
      activate: () => {
        port.handlers.push(onConnection)
        void this.onActivate()
      },
      release: async () => {
        if (released) return
        released = true
        port.handlers = port.handlers.filter((handler) => handler !== onConnection)
        port.leases -= 1
        if (port.leases === 0) this.ports.delete(key)
      },
    }
  }

  #createHttp(name: string) {
    const state: FakeHttp = { openRequests: 0, active: false, retired: false, disposed: false }
    this.http.set(name, [...(this.http.get(name) ?? []), state])
    const instance = fastify()
    return {
      instance,
      operations: { add: () => {}, events: () => {}, socket: () => {} },
      get openRequests() {
        return state.openRequests
      },
      sessionToken: () => '~token',
      async activate() {
        await instance.ready()
        state.active = true
      },
      async retire() {
        state.retired = true
      },
      leave() {},
      async dispose() {
        state.disposed = true
        await instance.close()
      },
    }
  }
}

/** Session ports are tested with real sockets. */
const noPorts = () => Promise.reject(new Error('the fake parts have no such ports'))

const noJobs = (): never => {
  throw new Error('the fake parts have no jobs')
}

const noTables = () => {
  throw new Error('the fake parts have no tables')
}

/** The config of a listener on one address. */
export const LISTEN = {
  listenaddr: ':1935',
  listenaddrtls: '',
  certfile: '',
  keyfile: '',
  nodelay: true,
  keepalive: true,
}
