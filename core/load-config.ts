import { gateRemarks } from './auth/config-remarks.ts'
import { Config } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { defaultConfigFile } from './server.ts'

/**
 * Reads the config that a command names.
 * @throws {ConfigError} when the file can't be read or parsed
 */
export function readConfig(file: string | undefined): Promise<Config> {
  return Config.load({ file: file ?? defaultConfigFile(), env: process.env, inspect: gateRemarks })
}

/** Reads the config that a command names; undefined when it is wrong, which the user has been told. */
export async function loadConfig(file: string | undefined): Promise<Config | undefined> {
  try {
    return await readConfig(file)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
    return undefined
  }
}
