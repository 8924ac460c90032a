import path from 'node:path'
import type { Logger } from 'pino'
import type { PluginDefinition } from 'sluice/sdk'
import { unlessAborted } from '../base/deadline.ts'
import { checkLiveKeys } from './live-keys.ts'
import type { PluginCandidate } from './loading/discovery.ts'
import { startLoad } from './loading/module-hooks.ts'
import type { ModuleLoad } from './loading/module-load.ts'
import { loadPlugin } from './loading/plugin-loader.ts'

/** The number of loads after which a warning is logged, as their modules stay in memory for the life of the process. */
const LOADS_WARNED = 100

type PluginCodeOptions = { readonly log: Logger; readonly timeoutMs: number }

/** The place of a plugin's code, and its newest load. */
export class PluginCode {
  candidate: PluginCandidate
  readonly #options: PluginCodeOptions
  #load: ModuleLoad | undefined
  #error: unknown
  readonly #loads = new Set<ModuleLoad>()
  #loadMs = 0

  constructor(candidate: PluginCandidate, options: PluginCodeOptions) {
    this.candidate = candidate
    this.#options = options
  }

  /** The path of the file to change, for messages. */
  get place(): string {
    const fromHere = path.relative(process.cwd(), this.candidate.entry)
    return fromHere.startsWith('..') ? this.candidate.entry : fromHere
  }

  /** The duration of the newest load that succeeded, in milliseconds. */
  get loadMs(): number {
    return this.#loadMs
  }

  /** The error of the newest load; undefined when that succeeded. */
  get error(): unknown {
    return this.#error
  }

  /** True when the code is in this file, or may be. */
  concerns(file: string): boolean {
    const { kind, path: place } = this.candidate
    return (this.#load?.uses(file) ?? false) || (kind === 'folder' && file.startsWith(place + path.sep))
  }

  /**
   * Loads the code again.
   * @throws {PluginError} with a message that names the error in it
   * @throws the signal's reason when that aborts first
   */
  async load(plugin: string, signal: AbortSignal): Promise<PluginDefinition> {
    const startMs = performance.now()
    this.#load = startLoad(this.candidate)
    const isNew = !this.#loads.has(this.#load)
    this.#loads.add(this.#load)
    if (isNew && this.#loads.size % LOADS_WARNED === 0) {
      this.#options.log.warn({ plugin }, `${this.#loads.size} versions were loaded; a restart frees their memory`)
    }
    try {
      const definition = await unlessAborted(loadPlugin(this.#load, this.#options.timeoutMs), signal)
      checkLiveKeys(definition)
      this.#loadMs = performance.now() - startMs
      this.#error = undefined
      return definition
    } catch (error) {
      this.#error = error
      throw error
    }
  }
}
