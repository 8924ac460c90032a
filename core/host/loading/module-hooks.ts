import { createRequire, registerHooks, type ResolveHookContext, type ResolveFnOutput } from 'node:module'
import { pathToFileURL } from 'node:url'
import { builtPlugin, builtSdk } from '../../build/running-build.ts'
import { stripInPackages } from '../../build/strip-types.ts'
import type { PluginCandidate } from './discovery.ts'
import { loadIdIn, ModuleLoad } from './module-load.ts'

type NextResolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput

const RELATIVE = /^\.{0,2}\//
const NOT_BARE = /^(?:[./#]|[a-z][a-z0-9+.-]*:)/i

const require = createRequire(import.meta.url)

/** All loads of the process, by the numbers in their addresses. */
const loads: ModuleLoad[] = []
/** The loads of each entry, which are reused when an entry has an earlier content again. */
const loadsOfEntry = new Map<string, ModuleLoad[]>()
let registered = false

/**
 * Begins a load of a plugin's code. The runtime never frees a module and never reads it again; so the modules of each load
 * have their own addresses, and all files of the plugin are renewed together. When this process has loaded the same content
 * before, that load is reused; code of the build is loaded from the build.
 */
export function startLoad(candidate: PluginCandidate): ModuleLoad {
  if (!registered) registerHooks({ resolve, load: stripInPackages })
  registered = true
  const known = loadsOfEntry.get(candidate.entry) ?? []
  const current = known.find(({ isCurrent }) => isCurrent)
  if (current !== undefined) return current
  const load = new ModuleLoad(loads.length, candidate, builtPlugin(candidate.entry))
  loads.push(load)
  loadsOfEntry.set(candidate.entry, [...known, load])
  forgetRequired(load)
  return load
}

/** The plugin that a module was loaded for, by the module's address or a line of a stack trace with that address. */
export function pluginOfModule(address: string): string | undefined {
  const load = loadOf(address) ?? loads.find((known) => known.isBuilt(address))
  return load?.plugin
}

/** Resolves an import of a plugin's module in a separate thread or process, where no load has marked addresses. */
export function resolveForPlugin(
  specifier: string,
  context: ResolveHookContext,
  nextResolve: NextResolve,
): ResolveFnOutput {
  return resolveSdk(specifier, context, nextResolve) ?? resolveOrBorrow(specifier, context, nextResolve)
}

function resolve(specifier: string, context: ResolveHookContext, nextResolve: NextResolve): ResolveFnOutput {
  const sdk = resolveSdk(specifier, context, nextResolve)
  if (sdk !== undefined) return sdk
  const load = context.parentURL === undefined ? undefined : loadOf(context.parentURL)
  if (load === undefined) return nextResolve(specifier, context)
  if (RELATIVE.test(specifier)) load.note(new URL(specifier, context.parentURL).href)
  const resolved = resolveOrBorrow(specifier, context, nextResolve)
  return { ...resolved, url: load.claim(resolved.url) }
}

/** Resolves the sdk to the host's for every plugin, as the classes of a second copy would be different ones. */
function resolveSdk(
  specifier: string,
  context: ResolveHookContext,
  nextResolve: NextResolve,
): ResolveFnOutput | undefined {
  if (!specifier.startsWith('sluice/')) return undefined
  const url = builtSdk(specifier)
  if (url !== undefined) return { url, format: 'module', shortCircuit: true }
  return nextResolve(specifier, { ...context, parentURL: import.meta.url })
}

function loadOf(address: string): ModuleLoad | undefined {
  const id = loadIdIn(address)
  return id === undefined ? undefined : loads[id]
}

/**
 * Forgets the CommonJS modules of the plugin, which the runtime knows only by file name. Modules that have not run yet
 * belong to another plugin in the folder that is being loaded at the same time.
 */
function forgetRequired(load: ModuleLoad): void {
  for (const [file, module] of Object.entries(require.cache)) {
    if (module?.loaded === true && load.owns(pathToFileURL(file).href)) delete require.cache[file]
  }
}

/**
 * Resolves an import, in the host's packages when the plugin has none of that name, as a plugin outside any project has no
 * packages.
 */
function resolveOrBorrow(specifier: string, context: ResolveHookContext, nextResolve: NextResolve): ResolveFnOutput {
  try {
    return nextResolve(specifier, context)
  } catch (error) {
    if (NOT_BARE.test(specifier)) throw error
    try {
      return nextResolve(specifier, { ...context, parentURL: import.meta.url })
    } catch {
      throw error
    }
  }
}
