import { ConfigError } from '../core/config/config-error.ts'
import { configReport } from '../core/config/report.ts'
import { loadConfig } from './load-config.ts'
import { restoreStored } from '../core/stored-config.ts'
import { createLogger } from '../core/observe/logger.ts'
import { Server } from '../core/server.ts'

/** Prints the values of a config that differ from the defaults, or all values, and the errors of the config. */
export async function check(file: string | undefined, all: boolean): Promise<void> {
  const config = await loadConfig(file)
  if (config === undefined) return
  const server = new Server({ config, log: createLogger({ level: 'silent' }) })
  try {
    const unknown = await restoreStored(config)
    if (unknown !== undefined) process.stderr.write(`what was set at run time is not shown: ${unknown}\n`)
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
