import type { Logger } from 'pino'
import { PluginAddresses } from './admin/system/plugin-addresses.ts'
import { ConfigError } from './config/config-error.ts'
import { MODIFICATION_PLACE } from './config/modifications.ts'
import { ownerOfError, pluginOf } from './host/error-owner.ts'
import { loadConfig } from './load-config.ts'
import { ListenError } from './net/listen-error.ts'
import { localAddress } from './net/local-address.ts'
import { HeapGrowth } from './observe/heap-growth.ts'
import { createLogger } from './observe/logger.ts'
import { Watchdog } from './observe/watchdog/watchdog.ts'
import { VERSION } from './package-root.ts'
import { Server, STOP_DEADLINE_MS } from './server.ts'
import { startBanner } from './start-banner.ts'

const EXIT_FAILURE = 1

/** Runs the server until a signal, or what it can't go on after, ends the process. */
export async function run(file: string | undefined): Promise<void> {
  const config = await loadConfig(file)
  if (config === undefined) return
  const log = createLogger({ level: config.global.loglevel })
  const server = new Server({ config, log })
  const stop = (reason: string, exitCode: number) => {
    setTimeout(() => process.exit(exitCode), STOP_DEADLINE_MS).unref()
    void server.stop(reason).then(() => process.exit(exitCode))
  }
  process.on('SIGTERM', () => stop('SIGTERM', 0))
  process.on('SIGINT', () => stop('SIGINT', 0))
  guardProcess(log, stop)
  new Watchdog({ log, pluginOf }).start()
  try {
    await server.start()
    if (process.stdout.isTTY) process.stdout.write(bannerOf(server, log))
    // What loading has left behind does not count.
    new HeapGrowth().start()
  } catch (error) {
    // What a person has to mend is better read as text than as a log line.
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n${resetHint(error)}`)
    else if (error instanceof ListenError) log.fatal(error.message)
    else log.fatal({ err: error }, 'the server could not start')
    stop('start failed', EXIT_FAILURE)
  }
}

/** What was set at run time can't be mended in the file. */
function resetHint({ problems }: ConfigError): string {
  const isModified = problems.some(({ file }) => file === MODIFICATION_PLACE)
  return isModified ? "'sluice reset SECTION.KEY' takes back what was set at run time\n" : ''
}

function bannerOf({ host, http }: Server, log: Logger): string {
  const addresses = new PluginAddresses(log)
  const running = host.list().filter(({ state }) => state === 'running')
  const endpoints = running.map((plugin) => addresses.of(plugin))
  return startBanner({ version: VERSION, http: http.addresses, endpoints, localAddress: localAddress() })
}

/** A stray error of a plugin must not take the others down; one in the core's own code means that nothing can be relied on. */
function guardProcess(log: Logger, stop: (reason: string, exitCode: number) => void): void {
  const onError = (error: unknown) => {
    const owner = ownerOfError(error)
    if (owner !== 'server') return log.error({ err: error, ...owner }, 'an error escaped; the server goes on')
    log.fatal({ err: error }, 'an error escaped; the server stops')
    stop('an error escaped', EXIT_FAILURE)
  }
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
}
