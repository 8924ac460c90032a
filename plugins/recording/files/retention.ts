import type { Logger } from 'pino'
import { LogLimit, StoreUnavailable, type AlarmNotice, type RecordConfig } from 'sluice/sdk'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { DeletableFiles } from '../catalogue/deletable-files.ts'
import type { FileEntry, StoragePlace } from '../catalogue/file-entry.ts'
import type { StoredFiles } from './stored-files.ts'

/** How often it is looked how full the disk is, and what has expired. */
const DISK_INTERVAL_MS = 5000
const EXPIRY_INTERVAL_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
/** The number of files that are deleted before the disk is measured again. */
const BATCH_FILES = 20
/** A look ends when so many files could not be deleted. */
const MAX_FAILED = 200
/** All places in which files lie. */
const PLACES: readonly StoragePlace[] = ['local', 'backup', 's3']
/** Recordings go on when the disk is so far below its limit. */
const ROOM_PERCENT = 1
/** How often the log says at most that files could not be deleted. */
const LOG_INTERVAL_MS = 60_000

/** The alarm of a full disk, with its kind in the API (api.md 3.4). */
const DISK_FULL = { name: 'disk_full', type: 0x10014 } as const

type RetentionOptions = {
  readonly log: Logger
  readonly catalogue: Pick<Catalogue, 'db'>
  readonly files: Pick<StoredFiles, 'usage' | 'delete' | 'backUp' | 'hasBackup' | 'hasRemote' | 'fullness'>
  /** The sections of the plugins that record, as they are now, with the types that each records. */
  readonly sections: () => readonly {
    readonly plugin: string
    readonly types: readonly string[]
    readonly section: RecordConfig
  }[]
  /** From how full a disk on the oldest files of all go, and those of the backup; 0 is never. */
  readonly limits: { readonly overwritepercent: number; readonly backupoverwritepercent: number }
  /** The disk has become too full for a plugin. */
  readonly full: (plugin: string, reason: string) => void
  /** False while a storage is missing: nothing of it goes then. */
  readonly isThere: (place: 'local' | 'backup') => boolean
  readonly alarm: (alarm: AlarmNotice) => void
  /** See `Kept.full`. */
  readonly known?: Map<string, string>
}

/** Lets recordings go when their time is over, or the disk is full; and none be written to a disk that is. */
export class Retention {
  readonly #options: RetentionOptions
  readonly #deletable: DeletableFiles
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  /** Why plugins may write nothing at present. */
  readonly #full: Map<string, string>
  readonly #timers: NodeJS.Timeout[] = []
  #working: Promise<void> = Promise.resolve()
  #isWorking = false
  /** Another look follows the one that is under way. */
  #isDue = false
  #closed = false

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#full = options.known ?? new Map()
    this.#deletable = new DeletableFiles(options.catalogue.db)
  }

  start(): void {
    this.#timers.push(setInterval(() => this.#work(() => this.lookAtDisk()), DISK_INTERVAL_MS).unref())
    this.#timers.push(setInterval(() => this.#work(() => this.expire()), EXPIRY_INTERVAL_MS).unref())
    this.look()
  }

  /** Looks at the disk and at what has expired now; after the look that is under way, if there is one. */
  look(): void {
    this.#isDue = this.#isWorking
    this.#work(async () => {
      await this.lookAtDisk()
      await this.expire()
    })
  }

  /** Why a plugin may write nothing at present; undefined when it may. */
  fullness(plugin: string): string | undefined {
    return this.#full.get(plugin)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers) clearInterval(timer)
    await this.#working
  }

  /** Looks how full the disk is, and does what follows from that. */
  async lookAtDisk(): Promise<void> {
    const { files, sections, limits, isThere } = this.#options
    for (const { plugin, section } of sections()) {
      // Another disk would be measured in place of one that is missing.
      if (!isThere('local')) break
      const { usedPercent } = await files.usage()
      this.#judge(plugin, files.fullness ?? this.#tooFull(plugin, section.diskmaxpercent, usedPercent))
    }
    // Files that leave this disk need room there.
    if (files.hasBackup) await this.#makeRoom(limits.backupoverwritepercent, undefined, 'backup')
    if (!files.hasRemote) {
      for (const { types, section } of sections()) await this.#makeRoom(section.overwritepercent, types)
      await this.#makeRoom(limits.overwritepercent)
    }
  }

  /** Deletes what is older than the sections say. */
  async expire(nowMs = Date.now()): Promise<void> {
    const { sections, isThere } = this.#options
    for (const { types, section } of sections()) {
      const days = section.recordfileexpiredays
      if (days === 0) continue
      const beforeMs = nowMs - days * DAY_MS
      for (const storage of PLACES) {
        if (storage === 's3' || isThere(storage)) await this.#expireIn(storage, types, beforeMs)
      }
      if (isThere('local')) await this.#deletable.forgetEvents(types, beforeMs)
    }
  }

  async #expireIn(storage: StoragePlace, types: readonly string[], beforeMs: number): Promise<void> {
    const failed: number[] = []
    while (!this.#closed && failed.length < MAX_FAILED) {
      const expired = await this.#deletable.find({ types, storage, beforeMs, limit: BATCH_FILES, except: failed })
      failed.push(...(await this.#clear(expired, 'delete')))
      if (expired.length < BATCH_FILES) return
    }
  }

  /** Why the disk is too full for a plugin; undefined when it has room. */
  #tooFull(plugin: string, maxPercent: number, usedPercent: number): string | undefined {
    const limit = maxPercent - (this.#full.has(plugin) ? ROOM_PERCENT : 0)
    if (maxPercent === 0 || usedPercent < limit) return undefined
    return `the disk is full: ${usedPercent.toFixed(1)} % are in use, and diskmaxpercent is ${maxPercent}`
  }

  #judge(plugin: string, reason: string | undefined): void {
    const { log, alarm, full } = this.#options
    const wasFull = this.#full.has(plugin)
    if (reason === undefined) {
      this.#full.delete(plugin)
      if (wasFull) log.info({ plugin }, 'there is room again: recordings go on')
      return
    }
    this.#full.set(plugin, reason)
    if (wasFull) return
    log.error({ plugin, reason }, 'nothing is recorded until there is room')
    alarm({ ...DISK_FULL, plugin, description: reason })
    full(plugin, reason)
  }

  /** Has the oldest files go, as long as a disk is too full and there are some. */
  async #makeRoom(percent: number, types?: readonly string[], storage: 'local' | 'backup' = 'local'): Promise<void> {
    const { files, log, isThere } = this.#options
    if (percent === 0 || !isThere(storage)) return
    const failed: number[] = []
    while (!this.#closed && failed.length < MAX_FAILED && (await files.usage(storage)).usedPercent > percent) {
      const oldest = await this.#deletable.find({ types, storage, limit: BATCH_FILES, except: failed })
      if (oldest.length === 0) return
      log.info(
        { files: oldest.length, storage },
        `the disk is used for more than ${percent} %: the oldest recordings go`,
      )
      failed.push(...(await this.#clear(oldest, storage === 'local' && files.hasBackup ? 'backUp' : 'delete')))
    }
  }

  /** Has files go, each for itself. @returns the ids of those that could not */
  async #clear(entries: readonly FileEntry[], how: 'backUp' | 'delete'): Promise<number[]> {
    const { files, log } = this.#options
    const failed: number[] = []
    for (const entry of entries) {
      try {
        if (await files[how](entry)) continue
      } catch (err) {
        if (err instanceof StoreUnavailable) throw err
        if (this.#limit.pass() !== undefined) log.error({ err, file: entry.filePath }, 'an old recording cannot go')
      }
      failed.push(entry.id)
    }
    return failed
  }

  /** One look at a time: one that takes long has others left out. */
  #work(look: () => Promise<void>): void {
    if (this.#isWorking || this.#closed) return
    this.#isWorking = true
    this.#working = this.#try(look)
  }

  async #try(look: () => Promise<void>): Promise<void> {
    try {
      await look()
    } catch (err) {
      const isSaid = err instanceof StoreUnavailable || this.#limit.pass() === undefined
      if (!isSaid) this.#options.log.error({ err }, 'old recordings could not be looked after')
    } finally {
      this.#isWorking = false
      if (this.#isDue) this.look()
    }
  }
}
