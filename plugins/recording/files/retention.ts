import type { Logger } from 'pino'
import { LogLimit, StoreUnavailable, type AlarmNotice, type RecordConfig } from 'sluice/sdk'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { DeletableFiles } from '../catalogue/deletable-files.ts'
import type { FileEntry, StoragePlace } from '../catalogue/file-entry.ts'
import type { StoredFiles } from './stored-files.ts'

/** The interval at which the usage of the disk is checked. */
const DISK_INTERVAL_MS = 5000
/** The interval at which expired files are deleted. */
const EXPIRY_INTERVAL_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
/** The number of files that are deleted before the disk is measured again. */
const BATCH_FILES = 20
/** The number of files that could not be deleted after which a check ends. */
const MAX_FAILED = 200
/** All places of files. */
const PLACES: readonly StoragePlace[] = ['local', 'backup', 's3']
/** The percentage below the limit of a full disk at which recordings continue. */
const ROOM_PERCENT = 1
/** The least interval of log lines about files that could not be deleted. */
const LOG_INTERVAL_MS = 60_000

/** The alarm of a full disk, with its kind in the API (api.md 3.4). */
const DISK_FULL = { name: 'disk_full', type: 0x10014 } as const

type RetentionOptions = {
  readonly log: Logger
  readonly catalogue: Pick<Catalogue, 'db'>
  readonly files: Pick<StoredFiles, 'usage' | 'delete' | 'backUp' | 'hasBackup' | 'hasRemote' | 'fullness'>
  /** Returns the present sections of the plugins that record, with the types that each records. */
  readonly sections: () => readonly {
    readonly plugin: string
    readonly types: readonly string[]
    readonly section: RecordConfig
  }[]
  /** The usages, in percent, above which the oldest files of the storage and of the backup are deleted; 0 for never. */
  readonly limits: { readonly overwritepercent: number; readonly backupoverwritepercent: number }
  /** Called when the disk has become too full for a plugin. */
  readonly full: (plugin: string, reason: string) => void
  /** Returns false while a storage is missing: none of its files is deleted then. */
  readonly isThere: (place: 'local' | 'backup') => boolean
  readonly alarm: (alarm: AlarmNotice) => void
  /** See `Kept.full`. */
  readonly known?: Map<string, string>
}

/** Deletes recordings that have expired, and the oldest ones of a full disk; stops recordings when the disk is too full. */
export class Retention {
  readonly #options: RetentionOptions
  readonly #deletable: DeletableFiles
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  /** The reasons for which plugins may write nothing at present, by plugin. */
  readonly #full: Map<string, string>
  readonly #timers: NodeJS.Timeout[] = []
  #working: Promise<void> = Promise.resolve()
  #isWorking = false
  /** True when another check follows the one that is under way. */
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

  /** Checks the disk and the expired files now, or after the check that is under way. */
  look(): void {
    this.#isDue = this.#isWorking
    this.#work(async () => {
      await this.lookAtDisk()
      await this.expire()
    })
  }

  /** Returns the reason for which a plugin may write nothing at present; undefined when there is none. */
  fullness(plugin: string): string | undefined {
    return this.#full.get(plugin)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers) clearInterval(timer)
    await this.#working
  }

  /** Checks the usage of the disks: stops or resumes the recordings of plugins, and deletes the oldest files of a full disk. */
  async lookAtDisk(): Promise<void> {
    const { files, sections, limits, isThere } = this.#options
    for (const { plugin, section } of sections()) {
      // Another disk would be measured in place of one that is missing.
      if (!isThere('local')) break
      const { usedPercent } = await files.usage()
      this.#judge(plugin, files.fullness ?? this.#tooFull(plugin, section.diskmaxpercent, usedPercent))
    }
    // The backup comes first, since files that leave this disk need room there.
    if (files.hasBackup) await this.#makeRoom(limits.backupoverwritepercent, undefined, 'backup')
    if (!files.hasRemote) {
      for (const { types, section } of sections()) await this.#makeRoom(section.overwritepercent, types)
      await this.#makeRoom(limits.overwritepercent)
    }
  }

  /** Deletes files and events that are older than `recordfileexpiredays` of their section. */
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

  /** Returns the reason for which the disk is too full for a plugin; undefined when it has room. */
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

  /** Deletes or backs up the oldest files, as long as a disk is too full and there are some. */
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

  /** Deletes or backs up files one by one. @returns the ids of the files that failed */
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

  /** Runs a check, unless another one is under way. */
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
