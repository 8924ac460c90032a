import { realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BuiltPlugin } from '../../build/running-build.ts'
import { PACKAGE_ROOT } from '../../package-root.ts'
import { isUnchanged, stampOf, type SourceStamp } from '../../build/source-stamp.ts'
import type { PluginCandidate } from './discovery.ts'

/** Marks the addresses of all modules that one load of a plugin has brought in. */
const LOAD_PARAM = 'load'

/** One load of a plugin's code: the modules that came of it, and the files that these were read from. */
export class ModuleLoad {
  /** The address to import. */
  readonly url: string
  /** The plugin's name; until it is known, that of its file. */
  plugin: string
  readonly #root: string
  /** The number that marks its addresses; undefined where it is that of the build, which has addresses of its own. */
  readonly #id: number | undefined
  /** The files that were loaded, or could not be, by their real paths. */
  readonly #files = new Map<string, SourceStamp | undefined>()
  #isLoaded = false

  /**
   * @param id counts the loads of the process
   * @param built is what runs in place of the sources
   */
  constructor(id: number, candidate: PluginCandidate, built: BuiltPlugin | undefined) {
    this.plugin = path.parse(candidate.path).name
    const folder = candidate.kind === 'file' ? path.dirname(realPath(candidate.path)) : realPath(candidate.path)
    this.#root = pathToFileURL(folder + path.sep).href
    if (built === undefined) {
      this.#id = id
      // The runtime keeps for good where a link led to first.
      this.url = this.#mark(pathToFileURL(realPath(candidate.entry)).href)
      this.#files.set(candidate.entry, stampOf(candidate.entry))
    } else {
      this.url = pathToFileURL(built.file).href
      for (const [source, stamp] of Object.entries(built.sources))
        this.#files.set(path.join(PACKAGE_ROOT, source), stamp)
    }
  }

  /** Notes that its modules have run without an error. */
  settle(): void {
    this.#isLoaded = true
  }

  /** True when its modules are what another load of the same files would bring in. */
  get isCurrent(): boolean {
    return this.#isLoaded && this.#files.entries().every(([file, stamp]) => isUnchanged(file, stamp))
  }

  /** True when a change of this file calls for another load. */
  uses(file: string): boolean {
    return this.#files.has(file) || this.#files.has(realPath(file))
  }

  /** True for the plugin's own code. Packages that it brings along are not: they stay loaded. */
  owns(url: string): boolean {
    return url.startsWith(this.#root) && !url.slice(this.#root.length).includes('node_modules/')
  }

  /** True for a line of a stack trace that names a module of the build, or the source of one. */
  isBuilt(frame: string): boolean {
    return this.#id === undefined && (frame.includes(this.url) || frame.includes(this.#root))
  }

  /** Notes that a module of this address is to be loaded, if there is one. */
  note(url: string): void {
    if (!url.startsWith('file:')) return
    const file = fileURLToPath(url)
    if (!this.#files.has(file)) this.#files.set(file, stampOf(file))
  }

  /** The address of one of its own modules, notes it, and leaves others as they are. */
  claim(url: string): string {
    if (!this.owns(url)) return url
    this.note(url)
    return this.#mark(url)
  }

  #mark(url: string): string {
    const marked = new URL(url)
    marked.searchParams.set(LOAD_PARAM, String(this.#id))
    return marked.href
  }
}

/** The number that marks the load which an address, or a line of a stack trace, belongs to. */
export function loadIdIn(address: string): number | undefined {
  const id = /[?&]load=(\d+)/u.exec(address)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** The place that a link leads to; one that can't be looked at, as it is. */
function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return place
  }
}
