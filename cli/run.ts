import { inspect } from 'node:util'
import type { Logger } from 'pino'
import { PluginAddresses } from '../core/admin/system/plugin-addresses.ts'
import { ownerOfError, pluginOf } from '../core/host/error-owner.ts'
import { loadConfig, readConfig } from './load-config.ts'
import { localAddress } from '../core/net/local-address.ts'
import { HeapGrowth } from './process/heap-growth.ts'
import { createLogger } from '../core/observe/logger.ts'
import { guardStandardStreams, standardOutputs } from '../core/observe/output/standard-streams.ts'
import { RecentLog } from '../core/observe/recent-log.ts'
import { Watchdog } from './process/watchdog/watchdog.ts'
import { VERSION } from '../core/package-root.ts'
import { Server } from '../core/server.ts'
import { ServerLife } from './server-life.ts'
import { startBanner } from './start-banner.ts'

const EXIT_FAILURE = 1

/** Runs the server until a signal, an operator or a fatal error ends the process. */
export async function run(file: string | undefined): Promise<void> {
  const config = await loadConfig(file)
  if (config === undefined) return
  const recentLog = new RecentLog()
  const log = createLogger({ level: config.global.loglevel, recent: recentLog })
  guardStandardStreams(log)
  const heapGrowth = new HeapGrowth()
  const watchdog = new Watchdog({ log, pluginOf })
  const life = new ServerLife({
    log,
    loadConfig: () => readConfig(file),
    createServer: (config, lifecycle) => new Server({ config, log, recentLog, lifecycle }),
    onStarted(server) {
      watchdog.serverIsUp()
      if (process.stdout.isTTY) process.stdout.write(bannerOf(server, log))
      // The growth counts from here, without the memory that loading has left behind.
      heapGrowth.start()
    },
    exit: (code) => process.exit(code),
  })
  const stop = (reason: string, exitCode: number) => life.end(reason, exitCode)
  process.on('SIGTERM', () => stop('SIGTERM', 0))
  process.on('SIGINT', () => stop('SIGINT', 0))
  guardProcess(log, stop)
  watchdog.start()
  await life.start(config)
}

function bannerOf({ host, http }: Server, log: Logger): string {
  const addresses = new PluginAddresses(log)
  const running = host.list().filter(({ state }) => state === 'running')
  const endpoints = running.map((plugin) => addresses.of(plugin))
  return startBanner({ version: VERSION, http: http.addresses, endpoints, localAddress: localAddress() })
}

/** Logs errors that nothing has caught: one of a plugin must not end the others, one of the core stops the server. */
function guardProcess(log: Logger, stop: (reason: string, exitCode: number) => void): void {
  const onError = (error: unknown) => {
    const owner = ownerOfError(error)
    if (owner !== 'server') return log.error({ err: error, ...owner }, 'an error escaped; the server goes on')
    log.fatal({ err: error }, 'an error escaped; the server stops')
    // The log may have no reader any more.
    if (standardOutputs().stdout.isWaiting) standardOutputs().stderr.write(`${inspect(error)}\n`)
    stop('an error escaped', EXIT_FAILURE)
  }
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
}
