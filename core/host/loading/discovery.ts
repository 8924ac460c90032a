import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** A file, folder or package that may be a plugin; only its load shows whether it is one. */
export type PluginCandidate = {
  readonly kind: 'folder' | 'file' | 'package'
  /** The folder or file. */
  readonly path: string
  /** The file to import. */
  readonly entry: string
}

export type PluginPlaces = {
  /** Folders that contain plugins: single files, and folders with an index file. */
  readonly folders: readonly string[]
  /** The folder whose `node_modules` is searched for packages, besides those of `folders`. */
  readonly workingFolder: string
}

const INDEX_FILES = ['index.ts', 'index.js', 'index.mjs']
const PLUGIN_FILE = /^[^.].*(?<!\.test|\.d)\.(?:ts|js|mjs)$/
const PACKAGE_NAME = /^sluice-plugin-./

/** Finds plugins, in the order of the folders and then by name; a folder that does not exist has none. */
export async function discoverPlugins({ folders, workingFolder }: PluginPlaces): Promise<PluginCandidate[]> {
  const found = await Promise.all(folders.map(pluginsIn))
  const packageRoots = new Set([workingFolder, ...folders].map((folder) => path.resolve(folder, 'node_modules')))
  const packages = await Promise.all([...packageRoots].map(packagesIn))
  const byPath = new Map([...found.flat(), ...packages.flat()].map((candidate) => [candidate.path, candidate]))
  return [...byPath.values()]
}

async function pluginsIn(folder: string): Promise<PluginCandidate[]> {
  const candidates: PluginCandidate[] = []
  for (const entry of await list(folder)) {
    const place = path.resolve(folder, entry.name)
    // A link may lead to a file or to a folder.
    if (PLUGIN_FILE.test(entry.name) && !entry.isDirectory())
      candidates.push({ kind: 'file', path: place, entry: place })
    else if (entry.isDirectory() || entry.isSymbolicLink()) candidates.push(...(await folderPlugin(entry.name, place)))
  }
  return candidates
}

async function folderPlugin(name: string, place: string): Promise<PluginCandidate[]> {
  if (name.startsWith('.') || name === 'node_modules') return []
  const names = new Set((await list(place)).map((entry) => entry.name))
  const index = INDEX_FILES.find((file) => names.has(file))
  return index === undefined ? [] : [{ kind: 'folder', path: place, entry: path.join(place, index) }]
}

async function packagesIn(root: string): Promise<PluginCandidate[]> {
  const candidates: PluginCandidate[] = []
  for (const { name } of await list(root)) {
    const place = path.join(root, name)
    if (PACKAGE_NAME.test(name)) candidates.push(...(await packagePlugin(place)))
    if (!name.startsWith('@')) continue
    for (const scoped of await list(place)) {
      if (PACKAGE_NAME.test(scoped.name)) candidates.push(...(await packagePlugin(path.join(place, scoped.name))))
    }
  }
  return candidates
}

async function packagePlugin(place: string): Promise<PluginCandidate[]> {
  try {
    const manifest: unknown = JSON.parse(await readFile(path.join(place, 'package.json'), 'utf8'))
    return [{ kind: 'package', path: place, entry: path.resolve(place, entryOf(manifest)) }]
  } catch {
    // A folder without a readable manifest is no package.
    return []
  }
}

function entryOf(manifest: unknown): string {
  const fields = typeof manifest === 'object' && manifest !== null ? manifest : {}
  const exported = 'exports' in fields ? exportedEntry(fields.exports) : undefined
  if (exported !== undefined) return exported
  return 'main' in fields && typeof fields.main === 'string' ? fields.main : 'index.js'
}

/** The file of the `.` entry of an `exports` field: a path, or that of the first matching condition. */
function exportedEntry(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (Array.isArray(exports)) return exports.map(exportedEntry).find((entry) => entry !== undefined)
  if (typeof exports !== 'object' || exports === null) return undefined
  for (const [condition, target] of Object.entries(exports)) {
    if (!['.', 'node', 'import', 'module-sync', 'default'].includes(condition)) continue
    const entry = exportedEntry(target)
    if (entry !== undefined) return entry
  }
  return undefined
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
