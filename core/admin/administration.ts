import type { Logger } from 'pino'
import type { ActiveRecording } from 'sluice/sdk'
import type { Readiness } from '../base/readiness.ts'
import type { ConfigEditor } from '../config/config-editor.ts'
import type { Config } from '../config/config.ts'
import { normalizeKey } from '../config/key-name.ts'
import type { PluginHost } from '../host/plugin-host.ts'
import { addHealthRoutes } from '../http/health.ts'
import type { HttpHost } from '../http/http-host.ts'
import type { Login } from '../login/login.ts'
import type { ServerJobs } from '../jobs/server-jobs.ts'
import type { ListenerPool } from '../net/listener-pool.ts'
import { EventLoopDelay } from '../observe/event-loop-delay.ts'
import type { MachineUsageSampler } from '../observe/machine-usage.ts'
import type { ServerMetrics } from '../observe/metrics/server-metrics.ts'
import type { RecentLog } from '../observe/recent-log.ts'
import type { TaskTree } from '../observe/task-tree.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { addArmingOperations } from './config/arming-operations.ts'
import { addConfigOperations } from './config/config-operations.ts'
import { addSectionOperations } from './config/section-operations.ts'
import { registerDocsPage } from './description/docs-page.ts'
import { addOpenApiOperation } from './description/openapi-operation.ts'
import { addLogOperation } from './log/log-operation.ts'
import { addLoginOperations } from './login/login-operations.ts'
import { addTokenOperations } from './login/token-operations.ts'
import { addUserOperations } from './login/user-operations.ts'
import { registerMetricsRoute } from './metrics/metrics-route.ts'
import { addPositionOperation } from './streams/position-operation.ts'
import { addSecretOperation, type SigningSection } from './streams/secret-operation.ts'
import { addSignedQueryOperation } from './streams/signed-query-operation.ts'
import { addSourceOperations } from './streams/source-operations.ts'
import { addStreamOperations, addSubscriberOperations } from './streams/stream-operations.ts'
import { addTrackOperations } from './streams/track-operations.ts'
import { addV6Operations } from './streams/v6-operations.ts'
import { addSummaryOperations } from './system/summary-operations.ts'
import { addLoadOperation } from './system/load-operation.ts'
import { addLifecycleOperations, type Lifecycle } from './system/lifecycle-operations.ts'
import { addSysinfoOperations } from './system/sysinfo-operations.ts'
import { addTaskOperations } from './tasks/task-operations.ts'

/** The parts of the server that operators act on. */
export type AdministeredParts = {
  readonly log: Logger
  /** Undefined where another program has the log. */
  readonly recentLog: RecentLog | undefined
  readonly version: string
  readonly startTime: Date
  readonly config: Config
  readonly editor: ConfigEditor
  readonly http: HttpHost
  readonly host: PluginHost
  readonly pool: ListenerPool
  readonly streams: StreamRegistry
  readonly login: Login
  readonly jobs: ServerJobs
  /** The recordings that go on. */
  readonly recordings: () => readonly ActiveRecording[]
  readonly machine: MachineUsageSampler
  readonly metrics: ServerMetrics
  readonly tasks: TaskTree
  readonly readiness: Readiness
  /** Undefined where the server is part of another program. */
  readonly lifecycle: Lifecycle | undefined
}

/** Adds the routes of health, metrics and administration to the server's HTTP. */
export function addAdministration(parts: AdministeredParts): void {
  const { log, version, startTime, config, http, host, streams } = parts
  const { core, admin, operations } = http
  addHealthRoutes(core, () => [
    ...(host.ready ? host.disabled : ['plugins']),
    ...(config.incomplete === undefined ? [] : ['config']),
    ...parts.readiness.missing,
  ])
  const loopDelay = new EventLoopDelay()
  admin.addHook('onClose', () => loopDelay.close())
  registerMetricsRoute(admin, { ...parts, loopDelay })
  addStreamOperations(operations, streams, parts.recordings)
  addSourceOperations(operations, streams)
  addSubscriberOperations(operations, streams)
  addTrackOperations(operations, streams, log)
  addPositionOperation(operations, streams)
  addV6Operations(operations, streams)
  addArmingOperations(operations, parts.editor)
  addSecretOperation(operations, (section) => signingSection(parts, section))
  addSignedQueryOperation(operations, (section) => signingSection(parts, section))
  const publicIp = () => config.global.publicip
  const { machine, jobs, recordings } = parts
  addSummaryOperations(operations, { publicIp, machine, index: streams.index, jobs, recordings })
  addLoadOperation(operations, { machine, streams, loopDelay })
  addLogOperation(operations, parts.recentLog)
  const configParts = {
    config,
    editor: parts.editor,
    restart: (plugin: string) => host.restart(plugin),
    definitionOf: (plugin: string) => host.list().find(({ name }) => name === plugin)?.definition,
  }
  addConfigOperations(operations, configParts)
  addSectionOperations(operations, configParts)
  addSysinfoOperations(operations, {
    log,
    version,
    startTime,
    publicIp,
    plugins: () => host.list(),
    userConfig: (plugin) => config.userConfig(plugin),
  })
  addLoginOperations(operations, parts.login, http.guard)
  addUserOperations(operations, parts.login)
  addTokenOperations(operations, parts.login.tokens)
  addLifecycleOperations(operations, log, parts.lifecycle)
  addTaskOperations(operations, parts.tasks)
  addOpenApiOperation(operations, version, () => http.operationsByOwner())
  registerDocsPage(admin)
}

/** As it is configured now, which is what the gates go by, whatever generation of the plugin runs. */
function signingSection({ config, host }: AdministeredParts, section: string): SigningSection | undefined {
  const named = normalizeKey(section)
  if (named === 'global') return { name: 'global', config: config.global }
  const plugin = host
    .list()
    .find(({ name, disableReason }) => disableReason === undefined && normalizeKey(name) === named)
  const values = plugin && config.section(plugin.name)?.values
  return values && { name: plugin.name, config: values }
}
