import { realpathSync } from 'node:fs'
import { createRequire, registerHooks, type ResolveHookContext, type ResolveFnOutput } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { PluginCandidate } from './discovery.ts'

type NextResolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput

/** Marks the addresses of all modules that one load of a plugin has brought in. */
const LOAD_PARAM = 'load'
const LOAD_IN_ADDRESS = /[?&]load=(\d+)/
const RELATIVE = /^\.{0,2}\//
const NOT_BARE = /^(?:[./#]|[a-z][a-z0-9+.-]*:)/i

const require = createRequire(import.meta.url)

/**
 * One load of a plugin's code. The runtime never frees a module and never reads it again; so each load gets its modules
 * under addresses of its own, and all files of the plugin are renewed together.
 */
export class ModuleLoad {
  /** The address to import. */
  readonly url: string
  /** The files that were loaded, or could not be, by their real paths. */
  readonly files = new Set<string>()
  /** The plugin's name; until it is known, that of its file. */
  plugin: string
  readonly #id: number
  readonly #root: string

  constructor(id: number, candidate: PluginCandidate) {
    this.#id = id
    this.plugin = path.parse(candidate.path).name
    // The runtime keeps for good where a link led to first.
    this.url = this.#mark(pathToFileURL(realPath(candidate.entry)).href)
    this.files.add(candidate.entry)
    const folder = candidate.kind === 'file' ? path.dirname(realPath(candidate.path)) : realPath(candidate.path)
    this.#root = pathToFileURL(folder + path.sep).href
  }

  /** True when a change of this file calls for another load. */
  uses(file: string): boolean {
    return this.files.has(file) || this.files.has(realPath(file))
  }

  /**
   * Forgets the CommonJS modules of the plugin, which are known by file name only. Those that have not run yet belong to
   * a plugin beside it that is being loaded at the same time.
   */
  forgetRequired(): void {
    for (const [file, module] of Object.entries(require.cache)) {
      if (module?.loaded === true && this.#owns(pathToFileURL(file).href)) delete require.cache[file]
    }
  }

  resolve(specifier: string, context: ResolveHookContext, nextResolve: NextResolve): ResolveFnOutput {
    if (RELATIVE.test(specifier)) this.#note(new URL(specifier, context.parentURL).href)
    const resolved = resolveOrBorrow(specifier, context, nextResolve)
    if (!this.#owns(resolved.url)) return resolved
    this.#note(resolved.url)
    return { ...resolved, url: this.#mark(resolved.url) }
  }

  /** Packages that the plugin brings along are not its own code: they stay loaded. */
  #owns(url: string): boolean {
    return url.startsWith(this.#root) && !url.slice(this.#root.length).includes('node_modules/')
  }

  #note(url: string): void {
    if (url.startsWith('file:')) this.files.add(fileURLToPath(url))
  }

  #mark(url: string): string {
    const marked = new URL(url)
    marked.searchParams.set(LOAD_PARAM, String(this.#id))
    return marked.href
  }
}

const loads = new Map<number, ModuleLoad>()
let registered = false

/** Begins another load of a plugin's code. */
export function startLoad(candidate: PluginCandidate): ModuleLoad {
  if (!registered) registerHooks({ resolve })
  registered = true
  const load = new ModuleLoad(loads.size + 1, candidate)
  loads.set(loads.size + 1, load)
  load.forgetRequired()
  return load
}

/** The plugin that a module was loaded for, by its address or a line of a stack trace that names it. */
export function pluginOfModule(address: string): string | undefined {
  return loadOf(address)?.plugin
}

/** Resolves what a module of a plugin imports in a thread or process of its own, where no load has marked addresses. */
export function resolveForPlugin(
  specifier: string,
  context: ResolveHookContext,
  nextResolve: NextResolve,
): ResolveFnOutput {
  if (specifier.startsWith('sluice/')) return nextResolve(specifier, { ...context, parentURL: import.meta.url })
  return resolveOrBorrow(specifier, context, nextResolve)
}

function resolve(specifier: string, context: ResolveHookContext, nextResolve: NextResolve): ResolveFnOutput {
  // A second copy of the sdk would have other classes: wherever a plugin lies, it gets the host's.
  if (specifier.startsWith('sluice/')) return nextResolve(specifier, { ...context, parentURL: import.meta.url })
  const load = loadOf(context.parentURL)
  return load === undefined ? nextResolve(specifier, context) : load.resolve(specifier, context, nextResolve)
}

function loadOf(address: string | undefined): ModuleLoad | undefined {
  const id = address === undefined ? undefined : LOAD_IN_ADDRESS.exec(address)?.[1]
  return id === undefined ? undefined : loads.get(Number(id))
}

/** A plugin that lies outside any project has no packages; the host lends it those it has itself. */
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

function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return place
  }
}
