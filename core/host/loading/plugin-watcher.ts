import { readlinkSync } from 'node:fs'
import path from 'node:path'
import { watch, type FSWatcher } from 'chokidar'
import type { Logger } from 'pino'

/**
 * The quiet time after a change until it is reported, as programs write several files; and its limit, for programs that
 * never stop writing.
 */
const DEBOUNCE_MS = 100
const MAX_DEBOUNCE_MS = 400

const CODE_FILE = /\.(?:[cm]?[jt]s|json)$/
const TEST_FILE = /\.test\.[cm]?[jt]s$/

type WatcherOptions = {
  readonly folders: readonly string[]
  readonly log: Logger
  /** Called with the files that were added, changed or removed since the last call. */
  readonly onChange: (files: readonly string[]) => void
}

/** Watches the code of plugins, and reports changes. */
export class PluginWatcher {
  readonly #folders: readonly string[]
  readonly #onChange: WatcherOptions['onChange']
  readonly #watcher: FSWatcher
  readonly #changed = new Set<string>()
  /** Links whose target was once missing, by their targets: the watcher does not follow them from then on. */
  readonly #lostLinks = new Map<string, string>()
  #sinceMs = 0
  #timer: NodeJS.Timeout | undefined
  readonly #ready = Promise.withResolvers<void>()

  constructor({ folders, log, onChange }: WatcherOptions) {
    this.#folders = folders.map((folder) => path.resolve(folder))
    this.#onChange = onChange
    this.#watcher = watch([...this.#folders], {
      ignoreInitial: true,
      ignored: (file, stats) => this.#ignores(file, stats?.isFile() ?? false),
    })
    this.#watcher.on('all', (event, name) => {
      const file = path.resolve(name)
      if (event === 'unlink') this.#watchTarget(file)
      this.#note(this.#lostLinks.get(file) ?? file)
    })
    this.#watcher.on('error', (err) => log.warn({ err }, 'plugin folders can not be watched'))
    this.#watcher.on('ready', () => this.#ready.resolve())
  }

  /** Settles when the watcher reports all further changes. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#watcher.close()
  }

  #ignores(file: string, isFile: boolean): boolean {
    const root = this.#folders.find((folder) => file.startsWith(folder + path.sep))
    if (root === undefined) return false
    const [first = '', ...inner] = path.relative(root, file).split(path.sep)
    if ([first, ...inner].some((name) => name.startsWith('.') || name === 'node_modules')) return true
    if (inner.includes('test')) return true
    return isFile && (!CODE_FILE.test(file) || TEST_FILE.test(file))
  }

  #watchTarget(file: string): void {
    const target = targetOf(file)
    if (target === undefined) return
    this.#lostLinks.set(target, file)
    this.#watcher.add(target)
  }

  #note(file: string): void {
    const nowMs = performance.now()
    if (this.#changed.size === 0) this.#sinceMs = nowMs
    this.#changed.add(file)
    clearTimeout(this.#timer)
    const waitMs = Math.min(DEBOUNCE_MS, this.#sinceMs + MAX_DEBOUNCE_MS - nowMs)
    this.#timer = setTimeout(() => this.#flush(), waitMs)
  }

  #flush(): void {
    const files = [...this.#changed]
    this.#changed.clear()
    this.#onChange(files)
  }
}

/** The target of a link, whether it exists or not; undefined for a path that is no link. */
function targetOf(file: string): string | undefined {
  try {
    return path.resolve(path.dirname(file), readlinkSync(file))
  } catch {
    return undefined
  }
}
