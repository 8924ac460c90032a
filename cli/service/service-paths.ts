import { stat } from 'node:fs/promises'
import path from 'node:path'
import { Config } from '../../core/config/config.ts'
import { ConfigError } from '../../core/config/config-error.ts'
import { CommandError } from '../command-error.ts'
import { STATE_FOLDER } from './unit-text.ts'

/** The folders that a service of the machine does not see (`ProtectHome` and `PrivateTmp` of systemd.exec). */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp']
/** The folder in which npx keeps packages. */
const NPX_CACHE = `${path.sep}_npx${path.sep}`
/** The mode by which all users may read a file. */
const READ_BY_OTHERS = 0o004
/** The mode by which all users may search a folder. */
const SEARCH_BY_OTHERS = 0o001

/** The folders that the server writes to. */
export type ServicePaths = {
  /** The environment variables of folders that the config does not name. */
  readonly environment: Readonly<Record<string, string>>
  /** The absolute paths outside the state directory. */
  readonly writable: readonly string[]
}

/**
 * Finds the folders that the server writes to by a config. Folders that the config names stay; all others are in the state directory.
 * @param file the config file; undefined when there is none yet
 * @param recordings the folder of the recordings, in place of the config's
 * @throws {CommandError} the config is wrong
 */
export async function servicePaths(file: string | undefined, recordings: string | undefined): Promise<ServicePaths> {
  const config = file === undefined ? undefined : await load(file)
  const named = (key: string, value: string | undefined) => {
    const isNamed = config?.sections.find(({ name }) => name === 'global')?.config.sources.get(key) === 'file'
    return isNamed && value !== '' ? value : undefined
  }
  const data = named('datadir', config?.global.datadir)
  const local = recordings ?? named('storage.local.path', config?.global.storage.local.path)
  const backup = named('storage.local.backuppath', config?.global.storage.local.backuppath)
  return {
    environment: {
      ...(data === undefined && { SLUICE_GLOBAL_DATADIR: STATE_FOLDER }),
      ...(local === undefined && { SLUICE_GLOBAL_STORAGE_LOCAL_PATH: `${STATE_FOLDER}/recordings` }),
      ...(recordings !== undefined && { SLUICE_GLOBAL_STORAGE_LOCAL_PATH: recordings.replaceAll('%', '%%') }),
    },
    // Relative paths are below the working directory, which is the state directory.
    writable: [
      ...new Set(
        [data, local, backup].flatMap((place) => (place !== undefined && path.isAbsolute(place) ? place : [])),
      ),
    ],
  }
}

/**
 * Checks that a service of the machine can use a path.
 * @param what the name of the path in messages, such as `the program`
 * @param root the root folder of the machine
 * @throws {CommandError} the service can't see the path
 */
export function checkSeen(what: string, place: string, root: string): void {
  const hidden = HIDDEN.map((folder) => path.join(root, folder))
  const folder = hidden.find((each) => place === each || place.startsWith(`${each}/`))
  if (folder === undefined) return
  throw new CommandError(
    `${what} is ${place}, and a service of the machine sees nothing of ${folder}: put it elsewhere, or use --user`,
  )
}

/**
 * Checks that the program of a service is not in the cache of npx, and that all users can read it.
 * @throws {CommandError} with advice in its message
 */
export async function checkProgram(file: string, isOwn: boolean, root: string): Promise<void> {
  if (file.includes(NPX_CACHE)) {
    throw new CommandError(
      `the program is ${file}, which npm deletes when it likes: install the package (npm install --prefix /opt/sluice PACKAGE), ` +
        'and have that one install the service',
    )
  }
  if (isOwn) return
  checkSeen('the program', file, root)
  for (let place = file; ; place = path.dirname(place)) {
    const stats = await stat(place)
    if ((stats.mode & (stats.isDirectory() ? SEARCH_BY_OTHERS : READ_BY_OTHERS)) === 0) {
      throw new CommandError(`${place} is not for all users: chmod o+${stats.isDirectory() ? 'x' : 'r'} '${place}'`)
    }
    if (place === path.dirname(place)) return
  }
}

async function load(file: string): Promise<Config> {
  try {
    return await Config.load({ file, env: {} })
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message, { cause: error }) : error
  }
}
