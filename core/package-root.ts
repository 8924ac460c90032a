import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The folder of this package, whether it runs from its sources or from what was built of them. */
export const PACKAGE_ROOT = findRoot(import.meta.dirname)

/** The version in package.json. */
export const VERSION = readVersion()

/** The plugins that come with the server: beside `core`, in the sources as in what was built. */
export const PLUGINS_FOLDER = path.join(import.meta.dirname, '..', 'plugins')

function findRoot(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder
  return findRoot(path.dirname(folder))
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version)
  throw new Error('package.json has no version')
}
