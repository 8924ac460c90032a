import { StoreUnavailable } from 'sluice/sdk'
import { ConfigError } from './config/config-error.ts'
import type { Config } from './config/config.ts'
import { configReport } from './config/report.ts'
import { loadConfig } from './load-config.ts'
import { withStoredConfig } from './stored-config.ts'
import { createLogger } from './observe/logger.ts'
import { Server } from './server.ts'

/** Prints what a config file says that differs from the defaults, or all of it, and what is wrong with it. */
export async function check(file: string | undefined, all: boolean): Promise<void> {
  const config = await loadConfig(file)
  if (config === undefined) return
  const server = new Server({ config, log: createLogger({ level: 'silent' }) })
  try {
    await restoreModified(config)
    await server.host.load()
    const plugins = server.host.list()
    const definitions = plugins.flatMap(({ definition }) => definition ?? [])
    process.stdout.write(await configReport(config, definitions, { all }))
    const broken = plugins.filter(
      ({ disableReason, definition }) => definition === undefined && disableReason !== undefined,
    )
    for (const { name, disableReason } of broken) process.stderr.write(`plugin ${name}: ${disableReason}\n`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } finally {
    await server.stop('checked')
  }
}

/** Where the database is away, what holds without it is better than nothing. */
async function restoreModified(config: Config): Promise<void> {
  try {
    await withStoredConfig(config, async (tables) => config.restore(await tables.load()))
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    process.stderr.write(`what was set at run time is not shown: ${error.message}\n`)
  }
}
