import type {
  Database,
  HookRegistry,
  JobRunner,
  Kysely,
  MetricRegistry,
  Net,
  PluginContext,
  PluginDefinition,
  PluginDirectory,
  ServiceRegistry,
  Services,
  StreamAuthHandler,
  StreamManager,
  TaskRegistry,
} from 'sluice/sdk'
import { lendFiles, metricPrefix } from 'sluice/sdk/host'
import { guard } from '../../base/guard.ts'
import { readGiven } from '../../config/value-reader.ts'
import { addressToward } from '../../net/local-address.ts'
import { PluginError } from '../plugin-error.ts'
import { PluginProcesses } from '../processes/plugin-processes.ts'
import type { GenerationPorts } from './generation-ports.ts'
import type { KeptObjects } from './kept-objects.ts'
import type {
  GenerationHttp,
  GenerationOwner,
  GenerationParts,
  GenerationStreams,
  GenerationTables,
  PluginValues,
} from './generation-parts.ts'

/** The part of a generation that its plugin can reach. */
export interface ContextSource extends Pick<
  PluginContext<PluginValues>,
  'config' | 'log' | 'signal' | 'onConfig' | 'onDrain' | 'onDispose' | 'hold'
> {
  readonly definition: PluginDefinition
  readonly owner: GenerationOwner
  readonly parts: Pick<
    GenerationParts,
    | 'addresses'
    | 'files'
    | 'global'
    | 'hooks'
    | 'jobs'
    | 'metrics'
    | 'node'
    | 'plugins'
    | 'readiness'
    | 'services'
    | 'store'
    | 'tasks'
  >
  readonly kept: KeptObjects
  readonly tables: Pick<GenerationTables, 'db' | 'assertOpen'> | undefined
  readonly streams: Pick<GenerationStreams, 'manager'>
  readonly timers: Pick<PluginContext<PluginValues>, 'setTimeout' | 'setInterval'>
  readonly ports: Pick<GenerationPorts, 'listen' | 'takePort' | 'listenUdp' | 'certificate' | 'udp' | 'dialers'>
  /** @throws {PluginError} when the generation is disposed */
  assertLoaded(): void
  /** True until the generation takes over. */
  readonly starting: boolean
  /** Runs an action that others notice: now, or when the generation takes over. */
  onceActive(action: () => void): void
}

/** Makes the context of a plugin's `setup`. Once the generation is disposed, nothing can be created through it. */
export function createContext(generation: ContextSource, http: GenerationHttp): PluginContext<PluginValues> {
  const { log, signal } = generation
  const streams = streamManager(generation)
  const tasks = taskRegistry(generation)
  return {
    get config() {
      return generation.config
    },
    onConfig: (listener) => generation.onConfig(listener),
    get global() {
      return generation.parts.global()
    },
    log,
    get streams() {
      generation.assertLoaded()
      return streams
    },
    hooks: hookRegistry(generation),
    net: networkOf(generation),
    http: http.instance,
    sessionToken: () => http.sessionToken(),
    operations: http.operations,
    tasks,
    jobs: jobRunner(generation, tasks),
    metrics: metricRegistry(generation),
    processes: new PluginProcesses({
      plugin: generation.owner.plugin,
      log,
      tasks,
      assertLoaded: () => generation.assertLoaded(),
    }),
    services: serviceRegistry(generation),
    plugins: pluginDirectory(generation),
    // The type of a schema is that of the values which it takes.
    readConfigText: (name, text, schema) => readGiven(name, text, schema) as never,
    files: lendFiles(generation.parts.files, generation),
    keep(name, create) {
      generation.assertLoaded()
      return generation.kept.keep(name, create)
    },
    store<Tables>() {
      const { tables } = generation
      if (tables === undefined) throw new PluginError('has no tables: write their migrations into its `tables`')
      tables.assertOpen()
      return tables.db as Kysely<Tables>
    },
    database: databaseOf(generation),
    node: generation.parts.node,
    setTimeout: (callback, delayMs) => generation.timers.setTimeout(callback, delayMs),
    setInterval: (callback, intervalMs) => generation.timers.setInterval(callback, intervalMs),
    onDrain: (listener) => generation.onDrain(listener),
    signal,
    hold: () => generation.hold(),
    readiness: (name, isWell) => {
      whileActive(generation, () => generation.parts.readiness.add(name, isWell))
    },
    onDispose: (dispose, options) => generation.onDispose(dispose, options),
  }
}

function networkOf({ parts, ports }: ContextSource): Net {
  return {
    addresses: () => parts.addresses(),
    addressToward,
    tcp: (config, onConnection, options) => ports.listen(config, onConnection, options),
    udp: (config, onDatagram) => ports.listenUdp(config, onDatagram),
    tcpPort: (range, onConnection) => ports.takePort(range, onConnection),
    udpPort: (range, onDatagram) => ports.udp.takePort(range, onDatagram),
    udpPortPair: (range, onEven, onOdd) => ports.udp.takePortPair(range, onEven, onOdd),
    certificate: (config, options) => ports.certificate(config, options),
    dialer: (proxy = '', options) => ports.dialers.create(proxy, options),
  }
}

/**
 * Runs `begin` when the generation takes over, and the function that it returned when the generation drains.
 * @param begin returns a function that undoes it
 * @returns a function that undoes it earlier
 */
function whileActive(generation: ContextSource, begin: () => () => void): () => void {
  generation.assertLoaded()
  let isWanted = true
  let end: (() => void) | undefined
  const stop = () => {
    isWanted = false
    end?.()
    end = undefined
  }
  generation.onceActive(() => {
    if (isWanted) end = begin()
  })
  generation.onDrain(stop)
  return stop
}

/** Makes the job runner. Only the newest generation is notified of failures of pulls and pushes, and asked for sources. */
function jobRunner(generation: ContextSource, tasks: TaskRegistry): JobRunner {
  const { jobs } = generation.parts
  const { pulls, pushes } = jobs
  const { plugin } = generation.owner
  return {
    start: (init) => jobs.start(tasks, init),
    pulls: {
      addSource: (source, order) => whileActive(generation, () => pulls.addSource(source, order, plugin)),
      onFailure: (listener) => whileActive(generation, () => pulls.onFailure(listener)),
      list: () => pulls.list(),
      get: (streamPath) => pulls.get(streamPath),
      demand: (streamPath, args) => pulls.demand(streamPath, args),
      start: (wish) => pulls.start(wish, plugin),
      restart: (streamPath) => pulls.restart(streamPath),
      adapt: (wish) => pulls.adapt(wish),
      canPull: (protocol) => pulls.canPull(protocol),
      protocolOf: (url) => pulls.protocolOf(url),
    },
    pushes: {
      onFailure: (listener) => whileActive(generation, () => pushes.onFailure(listener)),
      list: () => pushes.list(),
      find: (wish) => pushes.find(wish),
      start: (wish) => pushes.start(wish),
      canPush: (protocol) => pushes.canPush(protocol),
      protocolOf: (url) => pushes.protocolOf(url),
    },
  }
}

function pluginDirectory(generation: ContextSource): PluginDirectory {
  const { plugins } = generation.parts
  return {
    list: () => plugins.list(),
    get: (name) => plugins.list().find((plugin) => plugin.name === name),
    protocolOf: (url) => plugins.protocolOf(url),
    rules: (kind) => plugins.rules(kind),
    onChange: (listener) =>
      whileActive(generation, () => {
        const call = () => guard(generation.log, 'listener to changes of plugins', listener)
        call()
        return plugins.onChange(call)
      }),
  }
}

/** Makes the database access. Older generations keep it until they end, as they write rows, too. */
function databaseOf(generation: ContextSource): Database {
  const { store } = generation.parts
  return {
    get exists() {
      return store.exists
    },
    onAvailable(listener) {
      generation.assertLoaded()
      const stop = store.onAvailable(() => guard(generation.log, 'listener to the database', listener))
      generation.onDispose(stop)
      return stop
    },
  }
}

/** Makes the stream manager. The auth handler is for the whole server, so it takes effect when the generation takes over. */
function streamManager(generation: ContextSource): StreamManager {
  const { manager } = generation.streams
  const setStreamAuthHandler = (handler: StreamAuthHandler | null) =>
    generation.onceActive(() => manager.setStreamAuthHandler(handler))
  return { ...manager, setStreamAuthHandler, set_stream_auth_handler: setStreamAuthHandler }
}

/**
 * Makes the hook registry. Taps take effect when the generation takes over, so that no hook runs in two generations at a
 * time.
 */
function hookRegistry(generation: ContextSource): HookRegistry {
  const registry = generation.parts.hooks.registryFor(generation.owner)
  return {
    on(name, hook, order) {
      generation.assertLoaded()
      let wanted = true
      let untap: (() => void) | undefined
      generation.onceActive(() => {
        if (wanted) untap = registry.on(name, hook, order)
      })
      return () => {
        wanted = false
        untap?.()
      }
    },
    notify(name, ...args) {
      if (!generation.definition.notices?.includes(name)) {
        throw new PluginError(`can't tell '${name}': it is not named in its \`notices\``)
      }
      const send = () => registry.notify(name, ...args)
      // The notices of a draining generation are sent, too.
      if (generation.starting) generation.onceActive(send)
      else send()
    },
  }
}

function taskRegistry(generation: ContextSource): TaskRegistry {
  const registry = generation.parts.tasks.registryFor(generation.owner)
  return {
    start(init) {
      generation.assertLoaded()
      return registry.start(init)
    },
  }
}

/** Makes the metric registry. New families are shown when the generation takes over. */
function metricRegistry(generation: ContextSource): MetricRegistry {
  const { owner, parts } = generation
  const registry = parts.metrics.registryFor(owner, metricPrefix(owner.plugin))
  generation.onceActive(() => parts.metrics.activate(owner))
  const former = parts.metrics.registryFor(owner, '')
  const prefixes = generation.definition.formerNames?.metrics ?? []
  const open = ({ name }: { readonly name: string }) => {
    generation.assertLoaded()
    return prefixes.some((prefix) => name.startsWith(prefix)) ? former : registry
  }
  return {
    counter: (init) => open(init).counter(init),
    gauge: (init) => open(init).gauge(init),
    histogram: (init) => open(init).histogram(init),
  }
}

function serviceRegistry(generation: ContextSource): ServiceRegistry {
  const { definition, owner, parts } = generation
  return {
    provide(name: string, service: unknown) {
      if (!definition.provides?.includes(name)) {
        throw new PluginError(`can't provide '${name}': it is not named in its \`provides\``)
      }
      generation.assertLoaded()
      parts.services.assertFree(owner, name)
      generation.onceActive(() => parts.services.provide(owner, name, service))
    },
    get: <Name extends keyof Services>(name: Name) => parts.services.get(name) as Services[Name] | undefined,
  }
}
