import { existsSync } from 'node:fs'
import path from 'node:path'
import { gateRemarks } from '../core/auth/config-remarks.ts'
import { Config } from '../core/config/config.ts'
import { ConfigError } from '../core/config/config-error.ts'
import { PACKAGE_ROOT } from '../core/package-root.ts'

/**
 * Reads the config that a command names.
 * @throws {ConfigError} when the file can't be read or parsed
 */
export function readConfig(file: string | undefined): Promise<Config> {
  return Config.load({ file: file ?? defaultConfigFile(), env: process.env, inspect: gateRemarks })
}

/** Reads the config that a command names; prints the errors of a wrong one, and returns undefined. */
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

/** Returns the config file for a command that names none: the working directory's, or the shipped one. */
function defaultConfigFile(): string {
  const local = path.resolve('config.yaml')
  return existsSync(local) ? local : path.join(PACKAGE_ROOT, 'config', 'config.yaml')
}
