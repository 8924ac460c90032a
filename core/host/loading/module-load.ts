import { realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BuiltPlugin } from '../../build/running-build.ts'
import { PACKAGE_ROOT } from '../../package-root.ts'
import { isUnchanged, stampOf, type SourceStamp } from '../../build/source-stamp.ts'
import type { PluginCandidate } from './discovery.ts'

/** The query parameter that marks the addresses of all modules of one load. */
const LOAD_PARAM = 'load'

/** One load of a plugin's code: its modules, and the files that they were read from. */
export class ModuleLoad {
  /** The address to import. */
  readonly url: string
  /** The plugin's name; the name of its file until that is known. */
  plugin: string
  readonly #root: string
  /** The number that marks the addresses; undefined for the load of the build, which has its own addresses. */
  readonly #id: number | undefined
  /** The files that were loaded, or could not be loaded, by their real paths. */
  readonly #files = new Map<string, SourceStamp | undefined>()
  #isLoaded = false

  /**
   * @param id the number of the load among those of the process
   * @param built the module of the build that runs in place of the sources
   */
  constructor(id: number, candidate: PluginCandidate, built: BuiltPlugin | undefined) {
    this.plugin = path.parse(candidate.path).name
    const folder = candidate.kind === 'file' ? path.dirname(realPath(candidate.path)) : realPath(candidate.path)
    this.#root = pathToFileURL(folder + path.sep).href
    if (built === undefined) {
      this.#id = id
      // The runtime caches the target of a link forever.
      this.url = this.#mark(pathToFileURL(realPath(candidate.entry)).href)
      this.#files.set(candidate.entry, stampOf(candidate.entry))
    } else {
      this.url = pathToFileURL(built.file).href
      for (const [source, stamp] of Object.entries(built.sources))
        this.#files.set(path.join(PACKAGE_ROOT, source), stamp)
    }
  }

  /** Marks the load as successful: its modules have run without an error. */
  settle(): void {
    this.#isLoaded = true
  }

  /** True when another load of the same files would have the same content. */
  get isCurrent(): boolean {
    return this.#isLoaded && this.#files.entries().every(([file, stamp]) => isUnchanged(file, stamp))
  }

  /** True when a change of this file requires another load. */
  uses(file: string): boolean {
    return this.#files.has(file) || this.#files.has(realPath(file))
  }

  /** True for the plugin's own code. The packages in its folder are not: they stay loaded. */
  owns(url: string): boolean {
    return url.startsWith(this.#root) && !url.slice(this.#root.length).includes('node_modules/')
  }

  /** True for a line of a stack trace with a module of the build, or its source. */
  isBuilt(frame: string): boolean {
    return this.#id === undefined && (frame.includes(this.url) || frame.includes(this.#root))
  }

  /** Records that the file of an address, if it is one, is being loaded. */
  note(url: string): void {
    if (!url.startsWith('file:')) return
    const file = fileURLToPath(url)
    if (!this.#files.has(file)) this.#files.set(file, stampOf(file))
  }

  /** Returns the marked address of one of its own modules, and records its file; returns every other address unchanged. */
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

/** The number that marks the load of an address, or of a line of a stack trace with one. */
export function loadIdIn(address: string): number | undefined {
  const id = /[?&]load=(\d+)/u.exec(address)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** The target of a link; the path itself when it can't be read. */
function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return place
  }
}
