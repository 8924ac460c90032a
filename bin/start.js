/**
 * Runs the server's build. When a source is newer, the build is made anew first; when that can't be done, as in an installed
 * package, the sources run as they are.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { becomeNode } from './runtime.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const AS_SOURCES = '--conditions=source'

/** Runs the program with the arguments of the process. */
export async function start() {
  if (process.execArgv.includes(AS_SOURCES)) return void (await import('../cli/main.ts'))
  const main = await currentMain()
  if (main !== undefined) {
    // When the folder can't be written, the modules are compiled at each start.
    enableCompileCache(fileURLToPath(new URL('compiled', main)))
    return void (await import(main))
  }
  const folder = buildFolder()
  // Node strips no types from sources below node_modules; the build of a package has a hook that does.
  const strip = folder === undefined ? [] : [`--import=${moduleOf(folder, 'core.build.strip-hook.js')}`]
  const program = fileURLToPath(new URL('sluice.js', import.meta.url))
  becomeNode([...process.execArgv, ...strip, AS_SOURCES, program, ...process.argv.slice(2)])
}

/** Returns the main module of a build that matches the sources of the command line, the core and the sdk; undefined without one. */
async function currentMain() {
  const folder = buildFolder()
  const changed = folder === undefined ? undefined : await changedIn(folder)
  if (changed?.length === 0) return mainOf(folder)
  if (rebuild(changed?.[0])) return mainOf(buildFolder())
  // The host loads plugins that have changed from their sources.
  const isUsable = changed?.every((source) => source.startsWith('plugins/')) ?? false
  return isUsable ? mainOf(folder) : undefined
}

function buildFolder() {
  try {
    const { folder } = JSON.parse(readFileSync(path.join(ROOT, 'dist', 'current.json'), 'utf8'))
    return path.join(ROOT, 'dist', folder)
  } catch {
    return undefined
  }
}

async function changedIn(folder) {
  try {
    const { changedSources, readRecord } = await import(moduleOf(folder, 'core.build.build-record.js'))
    const record = readRecord(folder)
    return record === undefined ? undefined : changedSources(record, ROOT)
  } catch {
    return undefined
  }
}

const mainOf = (folder) => moduleOf(folder, 'cli.main.js')
const moduleOf = (folder, file) => pathToFileURL(path.join(folder, file)).href

/** Makes the build anew in a checkout with the packages for it; returns true when it is made. */
function rebuild(changed) {
  const script = path.join(ROOT, 'scripts', 'build.ts')
  if (!existsSync(script) || !existsSync(path.join(ROOT, 'node_modules', 'esbuild'))) return false
  process.stderr.write(`${changed === undefined ? 'there is no build' : `${changed} has changed`}: building …\n`)
  const { status, stderr } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0)
    process.stderr.write(`${stderr}\nthe build has failed; the sources run as they are, and start slowly\n`)
  return status === 0
}
