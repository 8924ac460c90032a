import { SluiceError } from 'sluice/sdk'
import { normalizeKey } from '../core/config/key-name.ts'
import type { ModificationTables } from '../core/config/modification-tables.ts'
import { loadConfig } from './load-config.ts'
import { withStoredConfig } from '../core/stored-config.ts'

/**
 * Deletes config values that were set at run time, as for a server that can't start with them. A running server keeps them until its
 * next start, or until a key is set again.
 * @param names the names of sections (`rtmp`), groups (`rtmp.publish`) or keys (`rtmp.publish.key`)
 */
export async function reset(file: string | undefined, names: readonly string[]): Promise<void> {
  const config = await loadConfig(file)
  if (config === undefined) return
  const taken: string[] = []
  try {
    await withStoredConfig(config, async (tables) => {
      for (const name of names) taken.push(...(await resetOne(tables, name)))
    })
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
    return
  }
  for (const key of taken) process.stdout.write(`reset ${key}\n`)
  if (taken.length > 0) return
  process.stderr.write(`nothing was set at run time for ${names.join(', ')}\n`)
  process.exitCode = 1
}

/** Deletes the values of one name. @returns the keys that were set, with their section */
async function resetOne(tables: ModificationTables, name: string): Promise<string[]> {
  const [section = '', ...names] = name.split('.')
  const wanted = normalizeKey(names.join('.'))
  const modified = await tables.load()
  const paths = modified
    .of(section)
    .map(({ path }) => path)
    .filter((path) => wanted === '' || `${normalizeKey(path)}.`.startsWith(`${wanted}.`))
  if (paths.length > 0) await tables.save(section, modified.next(section, new Set(paths), []))
  return paths.map((path) => `${section}.${path}`)
}
