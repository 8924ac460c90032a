import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { builtFileOf, readBuiltFiles, type BuiltFile } from '../http/built-files.ts'

/** The folder, beside the sources of pages, in which a build tool leaves what it has made of them. */
const BUILT = 'built'
const SCRIPT = '.js'

/** The name that the module of a page is served by, `devices.js` of `devices.tsx`. */
export function moduleName(source: string): string {
  return path.parse(source).name + SCRIPT
}

/**
 * The modules of a plugin's pages, by the names that they are served by. A script is one file, which is read each time, so that an
 * edit shows. Sources are built: all files of their built folder are read once, as chunks of one build belong together.
 */
export class PageModules {
  /** The files of scripts. */
  readonly #scripts = new Map<string, string>()
  readonly #built = new Map<string, BuiltFile>()
  readonly #folders = new Set<string>()

  /** True where nothing is to be served. */
  get isEmpty(): boolean {
    return this.#scripts.size === 0 && this.#built.size === 0
  }

  /**
   * Adds the module of a page.
   * @param source the absolute path of a script, or of the source of one that is built
   * @returns false where the module is not there
   */
  add(source: string): boolean {
    const name = moduleName(source)
    if (!source.endsWith(SCRIPT)) return this.#addBuilt(path.join(path.dirname(source), BUILT), name)
    if (!existsSync(source)) return false
    this.#scripts.set(name, source)
    return true
  }

  /** Returns the file that is served by a name; undefined where there is none. */
  async read(name: string): Promise<BuiltFile | undefined> {
    const script = this.#scripts.get(name)
    if (script === undefined) return this.#built.get(name)
    const bytes = await readFile(script).catch(() => undefined)
    return bytes && builtFileOf(name, bytes)
  }

  #addBuilt(folder: string, name: string): boolean {
    if (!existsSync(folder)) return false
    if (!this.#folders.has(folder)) {
      this.#folders.add(folder)
      for (const [other, file] of readBuiltFiles(folder)) this.#built.set(other, file)
    }
    return this.#built.has(name)
  }
}
