import type { Logger } from 'pino'
import {
  type AlarmNotice,
  errorCode,
  type FileStorage,
  LogLimit,
  messageOf,
  StorageMissing,
  type WriteFailure,
  withDeadline,
} from 'sluice/sdk'

/** The interval at which the storage is checked. */
const LOOK_INTERVAL_MS = 5000
/** The time limit for a disk to answer; a slower one counts as missing. */
const ANSWER_MS = 10_000
/** The least interval of log lines about files that could not be written. */
const LOG_INTERVAL_MS = 60_000

/** The alarms of a storage that is lost and is back, with their kinds in the API (api.md 3.4). */
const LOST = { name: 'storage_lost', type: 0x10010, plugin: 'global' } as const
const BACK = { name: 'storage_back', type: 0x10011, plugin: 'global' } as const

/** The error codes of a full disk, which the retention handles. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

export type WatchedPlace = 'local' | 'backup'

type WatchedStorage = Pick<FileStorage, 'root' | 'look' | 'probe' | 'onFailure'>

type StorageWatchOptions = {
  readonly log: Logger
  readonly local: WatchedStorage
  readonly backup: WatchedStorage | undefined
  /** Returns true when the config has record rules: the start then checks that files can be written. */
  readonly isWanted: () => boolean
  readonly alarm: (alarm: AlarmNotice) => void
  /** Called when the folder of recordings is lost: nothing may be written there any more. */
  readonly lost: (reason: string) => void
  /** Called when a folder that was lost is back. */
  readonly returned: (place: WatchedPlace) => void
  /** See `Kept.problems`. */
  readonly known?: Map<WatchedPlace, StorageProblem>
}

/** The reason for which a storage can't be used: `text` is for all, `advice` is for the log, with the folder and a remedy. */
export type StorageProblem = { readonly kind: 'missing' | 'unwritable'; readonly text: string; readonly advice: string }

/** Checks that the folders of the storage are there and can be written; logs changes and raises alarms. */
export class StorageWatch {
  readonly #options: StorageWatchOptions
  readonly #problems: Map<WatchedPlace, StorageProblem>
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  /** The places where a file could not be written: the next check tries to write there. */
  readonly #doubted = new Set<WatchedPlace>()
  /** The checks that a disk has not answered yet: another check would block another thread. */
  readonly #asking = new Map<WatchedPlace, Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #closed = false

  constructor(options: StorageWatchOptions) {
    this.#options = options
    this.#problems = options.known ?? new Map()
    options.local.onFailure((failure) => this.#failed('local', failure))
    options.backup?.onFailure((failure) => this.#failed('backup', failure))
  }

  /** Checks the storage now, and at intervals from now on. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.look(), LOOK_INTERVAL_MS).unref()
    if (this.#options.isWanted()) this.#doubted.add('local')
    await this.look()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#looking
  }

  /** The reason for which nothing may be written at present; undefined when it may. */
  get problem(): string | undefined {
    return this.#problems.get('local')?.text
  }

  /** True while no place has a problem. */
  get isWell(): boolean {
    return this.#problems.size === 0
  }

  /** Returns false when a place was missing at its last check. */
  isThere(place: WatchedPlace): boolean {
    return this.#problems.get(place)?.kind !== 'missing'
  }

  /** Checks all places; one check runs at a time. Never rejects. */
  look(): Promise<void> {
    return (this.#looking ??= this.#lookAtAll().finally(() => (this.#looking = undefined)))
  }

  async #lookAtAll(): Promise<void> {
    const { local, backup } = this.#options
    if (this.#closed) return
    await this.#lookAt('local', local)
    if (backup !== undefined) await this.#lookAt('backup', backup)
  }

  async #lookAt(place: WatchedPlace, storage: WatchedStorage): Promise<void> {
    const isDoubted = this.#doubted.delete(place) || this.#problems.get(place)?.kind === 'unwritable'
    try {
      const asked = this.#asking.get(place) ?? this.#ask(place, storage, isDoubted)
      await withDeadline(asked, ANSWER_MS, () => new StorageMissing(`the disk of ${storage.root} does not answer`))
      this.#isWell(place, storage)
    } catch (error) {
      if (FULL.has(errorCode(error))) this.#isWell(place, storage)
      else this.#hasProblem(place, problemOf(error, storage.root))
    }
  }

  #ask(place: WatchedPlace, storage: WatchedStorage, isDoubted: boolean): Promise<void> {
    const ask = async () => {
      await storage.look()
      if (isDoubted) await storage.probe()
    }
    const asking = ask().finally(() => this.#asking.delete(place))
    this.#asking.set(place, asking)
    return asking
  }

  #isWell(place: WatchedPlace, { root }: WatchedStorage): void {
    if (!this.#problems.delete(place)) return
    const { log, alarm, returned } = this.#options
    log.info({ place, storage: root }, 'the storage is there again: recordings go on')
    alarm({ ...BACK, description: `the ${nameOf(place)} is there again` })
    returned(place)
  }

  #hasProblem(place: WatchedPlace, problem: StorageProblem): void {
    const former = this.#problems.get(place)
    this.#problems.set(place, problem)
    if (former?.text === problem.text) return
    const { log, alarm, lost } = this.#options
    log.error({ place, reason: problem.advice }, 'the storage cannot be used; nothing of it is forgotten meanwhile')
    alarm({ ...LOST, description: `${nameOf(place)}: ${problem.text}` })
    if (place === 'local') lost(problem.text)
  }

  /** Logs the first failure with its path and counts the next ones; a check finds out if the whole storage is affected. */
  #failed(place: WatchedPlace, { file, code }: WriteFailure): void {
    if (FULL.has(code) || this.#closed) return
    this.#doubted.add(place)
    if (!this.#problems.has(place)) {
      const withheld = this.#limit.pass()
      const more = withheld === undefined || withheld === 0 ? {} : { withheld }
      if (withheld !== undefined) this.#options.log.warn({ file, code, ...more }, 'a file could not be written')
    }
    void this.look()
  }
}

function nameOf(place: WatchedPlace): string {
  return place === 'local' ? 'storage of recordings' : 'backup of recordings'
}

function problemOf(error: unknown, root: string): StorageProblem {
  if (error instanceof StorageMissing) return { kind: 'missing', text: error.message, advice: error.advice }
  const code = errorCode(error) || messageOf(error)
  const advice =
    `nothing can be written in ${root} (${code}): let the user of the server write there, or set ` +
    `global.storage.local to a folder where it may`
  return { kind: 'unwritable', text: `the storage cannot be written: ${code}`, advice }
}
