import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PACKAGE_ROOT } from '../package-root.ts'
import { changedSources, readRecord, type BuildRecord } from './build-record.ts'
import { HERE } from './here.ts'

/** A plugin of the build, which is valid as long as its sources are those that it was made of. */
export type BuiltPlugin = {
  /** The module to import. */
  readonly file: string
  /** The sources of the plugin, and the states that they had. */
  readonly sources: BuildRecord['sources']
}

/** The folder of the build that this code runs from; undefined where the sources run as they are. */
export const BUILD_FOLDER: string | undefined = readRecord(HERE) === undefined ? undefined : HERE

const RECORD = BUILD_FOLDER === undefined ? undefined : readRecord(BUILD_FOLDER)
const SDK = /^sluice\/(?:sdk(?:\/|$)|testing$)/u

/**
 * Finds the module that was built of an entry of a plugin, its own or that of a part of it; undefined where there is none, or the
 * sources of the plugin have changed since.
 */
export function builtPlugin(entry: string): BuiltPlugin | undefined {
  const source = belowRoot(entry)
  const file = RECORD?.entries[source]
  if (BUILD_FOLDER === undefined || RECORD === undefined || file === undefined) return undefined
  const [parent, name] = source.split('/')
  const own = Object.entries(RECORD.sources).filter(([place]) => place.startsWith(`${parent}/${name}/`))
  const plugin = { file: path.join(BUILD_FOLDER, file), sources: Object.fromEntries(own) }
  return changedSources({ ...RECORD, sources: plugin.sources }, PACKAGE_ROOT).length === 0 ? plugin : undefined
}

/** The module to run in place of a source in a thread or process of its own: the built one, where that is current. */
export function moduleToRun(source: URL): URL {
  if (BUILD_FOLDER === undefined || source.protocol !== 'file:') return source
  const place = fileURLToPath(source)
  const name = belowRoot(place)
  const file = RECORD?.entries[name]
  if (file === undefined) return source
  const isCurrent = !name.startsWith('plugins/') || builtPlugin(place) !== undefined
  return isCurrent ? pathToFileURL(path.join(BUILD_FOLDER, file)) : source
}

/** The address of the sdk that this process has, for a name such as `sluice/sdk`; undefined where the sources run as they are. */
export function builtSdk(specifier: string): string | undefined {
  if (BUILD_FOLDER === undefined || !SDK.test(specifier)) return undefined
  const name = specifier === 'sluice/testing' ? 'core/testing' : specifier.slice('sluice/'.length)
  const file = RECORD?.entries[`${name}/index.ts`]
  return file === undefined ? undefined : pathToFileURL(path.join(BUILD_FOLDER, file)).href
}

function belowRoot(file: string): string {
  return path.relative(PACKAGE_ROOT, file).replaceAll(path.sep, '/')
}
