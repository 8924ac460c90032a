import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type {
  DiskUsage,
  Files,
  FileStorage,
  MediaTrack,
  RecordingBytes,
  RecordingEvent,
  RecordService,
} from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'
import { StorageError } from '../bucket/storage-error.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { MediaFileWriter } from '../record/media-file-writer.ts'
import { filePathOf } from '../record/file-name.ts'
import type { FileEntry, StoragePlace } from '../catalogue/file-entry.ts'
import type { RemoteFiles } from './remote-files.ts'
import type { WantedRecording } from '../record/record-rules.ts'

/** The time for which a new file waits for its row to be stored. */
const STORED_WITHIN_MS = 1000

/** The terms of a file that is to be created. */
export type NewFile = {
  readonly wanted: WantedRecording
  readonly service: RecordService
  readonly tracks: readonly MediaTrack[]
  /** The time of the stream at which the file begins, in whole milliseconds. */
  readonly baseMs: number
  /** The date of `baseMs`, in Unix milliseconds. */
  readonly startMs: number
  /** See `RecordedFile.clockMs`. */
  readonly clockMs: number
  readonly mode: 'auto' | 'event'
  readonly event: RecordingEvent | undefined
}

type StoredFilesOptions = {
  readonly log: Logger
  readonly catalogue: Pick<
    Catalogue,
    'active' | 'begin' | 'changed' | 'drop' | 'find' | 'forget' | 'isElsewhere' | 'settled'
  >
  readonly storage: Files
  /** See `Kept.held`. */
  readonly held?: Set<string>
  /** The bucket to which finished files go; undefined when they stay on this machine. */
  readonly remote: RemoteFiles | undefined
  /** Queues a finished file for the bucket. */
  readonly send?: ((entry: FileEntry) => void) | undefined
}

/** The files on the disk, in the backup and in the bucket. A change of a file also changes its row in the catalogue. */
export class StoredFiles {
  readonly #options: StoredFilesOptions
  /** The paths of locked files; see `Kept.held`. */
  readonly #held: Set<string>

  constructor(options: StoredFilesOptions) {
    this.#options = options
    this.#held = options.held ?? new Set()
  }

  /** Returns the usage of the disk that files are written to, or of the backup's disk. */
  async usage(place: 'local' | 'backup' = 'local'): Promise<DiskUsage> {
    return this.#storageOf(place).usage()
  }

  /** The reason, other than the disk, for which nothing may be written at present; undefined when there is none. */
  get fullness(): string | undefined {
    return this.#options.remote?.fullness
  }

  /** True when files go to a bucket. */
  get hasRemote(): boolean {
    return this.#options.remote !== undefined
  }

  /** Returns a signed address for the download of a file in the bucket; undefined for a file elsewhere. */
  urlOf(entry: FileEntry): string | undefined {
    return entry.storage === 's3' ? this.#remote().urlOf(entry) : undefined
  }

  get hasBackup(): boolean {
    return this.#options.storage.backup !== undefined
  }

  /** @throws {Error} with the system's code */
  async create(init: NewFile): Promise<MediaFileWriter> {
    const { wanted, service, tracks, baseMs, startMs, clockMs, mode, event } = init
    const { storage, catalogue } = this.#options
    const { type, streamPath, rule } = wanted
    const path = filePathOf(rule.filepath, rule.filename, { type, streamPath, startMs })
    const resumed = rule.append && mode === 'auto' ? await this.#resume(path, init) : undefined
    if (resumed !== undefined) return resumed
    const writer = service.createWriter(tracks)
    const codecOf = (kind: MediaTrack['kind']) => mainTracks(tracks).find((track) => track.kind === kind)?.codec ?? ''
    const entry: FileEntry = {
      id: 0,
      type,
      streamPath,
      filePath: '',
      startMs,
      endMs: startMs,
      sizeBytes: 0,
      mode,
      event,
      videoCodec: codecOf('video'),
      audioCodec: codecOf('audio'),
      isActive: true,
      createdMs: Date.now(),
      headBytes: writer.head.length,
      cutsMs: [],
      clockMs,
      storage: 'local',
    }
    try {
      const { writer: file } = await storage.create(path, service.extension, (filePath) => this.#claim(entry, filePath))
      return new MediaFileWriter({ tracks, writer, file, entry, baseMs, offsetMs: 0 })
    } catch (error) {
      catalogue.drop(entry)
      throw error
    } finally {
      this.#held.delete(entry.filePath)
    }
  }

  /**
   * Stores the row of a file before the file is created, since a crash in between would leave a file without a row. The stream does not
   * wait long for a database that is slow or away.
   * @returns false when another file has the path
   */
  async #claim(entry: FileEntry, filePath: string): Promise<boolean> {
    const { catalogue } = this.#options
    if (this.#held.has(filePath)) return false
    this.#held.add(filePath)
    this.#held.delete(entry.filePath)
    entry.filePath = filePath
    if ((this.hasRemote || this.hasBackup) && (await catalogue.isElsewhere(filePath))) return false
    catalogue.begin(entry)
    await Promise.race([catalogue.settled(), delay(STORED_WITHIN_MS, undefined, { ref: false })])
    return true
  }

  /** Continues a file of that name; returns undefined when no file can be continued. */
  async #resume(path: string, init: NewFile): Promise<MediaFileWriter | undefined> {
    const { catalogue, log } = this.#options
    const { type, streamPath } = init.wanted
    const filePath = `${path}${init.service.extension}`
    // A file that goes to the bucket may not change, and only one recording may continue a file.
    if (this.hasRemote || this.#held.has(filePath)) return undefined
    this.#held.add(filePath)
    try {
      const entry = await catalogue.find(type, filePath)
      return entry?.streamPath === streamPath ? await this.#extend(entry, init) : undefined
    } catch (err) {
      log.warn({ err, file: filePath }, 'the file is not gone on with; another one is begun')
      return undefined
    } finally {
      this.#held.delete(filePath)
    }
  }

  async #extend(entry: FileEntry, { service, tracks, baseMs }: NewFile): Promise<MediaFileWriter | undefined> {
    const { catalogue, storage } = this.#options
    const bytes = await this.openBytes(entry)
    try {
      const resumed = await service.resume?.(bytes, tracks)
      if (resumed === undefined) return undefined
      const { writer, sizeBytes, durationMs } = resumed
      const file = await storage.extend(entry.filePath, sizeBytes)
      entry.isActive = true
      // A file that is continued is as old as its last part.
      entry.createdMs = Date.now()
      catalogue.begin(entry)
      return new MediaFileWriter({ tracks, writer, file, entry, baseMs, offsetMs: Math.ceil(durationMs) })
    } finally {
      await bytes.close()
    }
  }

  /** Updates the row of a file that has ended, and removes an empty file; returns true when the file has content. */
  finish(entry: FileEntry): boolean {
    const { catalogue, storage, send, log } = this.#options
    entry.isActive = false
    if (entry.sizeBytes > 0) {
      catalogue.changed(entry)
      send?.(entry)
      return true
    }
    catalogue.drop(entry)
    storage
      .remove(entry.filePath)
      .catch((err: unknown) => log.warn({ err, file: entry.filePath }, 'an empty file stays'))
    return false
  }

  /** Opens a file for reading. @throws {Error} with no path in its message */
  async openBytes(entry: FileEntry, signal?: AbortSignal): Promise<RecordingBytes> {
    if (entry.storage === 's3') return this.#remote().open(entry, signal)
    return this.#storageOf(entry.storage).read(entry.filePath, signal)
  }

  /**
   * Deletes a file for good, and its row.
   * @returns false for a file that is being written or is locked, which is left alone
   * @throws {Error} with the system's code, or of the bucket
   */
  delete(entry: FileEntry): Promise<boolean> {
    return this.#hold(entry, async () => {
      const { catalogue, remote } = this.#options
      if (entry.storage === 's3') await this.#remote().remove(entry)
      else {
        await remote?.recall(entry)
        await this.#storageOf(entry.storage).remove(entry.filePath)
      }
      await catalogue.forget(entry)
    })
  }

  /**
   * Moves a file to the backup, when there is one. The row of a file that is missing is deleted.
   * @returns false for a file that is being written or is locked, which is left alone
   * @throws {Error} with the system's code; the file is then where it was
   */
  backUp(entry: FileEntry): Promise<boolean> {
    return this.#hold(entry, async () => {
      const { storage, catalogue } = this.#options
      if (!this.hasBackup || entry.storage !== 'local') return
      if ((await storage.sizeOf(entry.filePath)) === undefined) return catalogue.forget(entry)
      await storage.moveToBackup(entry.filePath)
      entry.storage = 'backup'
      catalogue.changed(entry)
    })
  }

  /** Resolves when the rows of the files are stored, or the database is away. Never rejects. */
  settled(): Promise<void> {
    return this.#options.catalogue.settled()
  }

  /** Returns the size in bytes; undefined when the file is missing. */
  async sizeOf(entry: FileEntry): Promise<number | undefined> {
    return this.#storageOf(entry.storage).sizeOf(entry.filePath)
  }

  /** Cuts a file off after `sizeBytes`. @throws {Error} with the system's code */
  async cut(entry: FileEntry, sizeBytes: number): Promise<void> {
    const writer = await this.#storageOf(entry.storage).extend(entry.filePath, sizeBytes)
    await writer.close()
    if (writer.error !== undefined) throw writer.error
  }

  /** Locks a finished file and runs `act`; returns false when the file is being written or is locked already. */
  async #hold({ filePath, storage }: FileEntry, act: () => Promise<void>): Promise<boolean> {
    const isWritten = this.#options.catalogue.active.values().some((active) => active.filePath === filePath)
    if (this.#held.has(filePath) || (isWritten && storage === 'local')) return false
    this.#held.add(filePath)
    try {
      await act()
      return true
    } finally {
      this.#held.delete(filePath)
    }
  }

  /** @throws {StorageError} the bucket is no longer in the config */
  #remote(): RemoteFiles {
    const { remote } = this.#options
    if (remote !== undefined) return remote
    throw new StorageError('the file lies in a bucket, and storage.s3 names none', { passes: false })
  }

  /** @throws {StorageError} the backup is no longer in the config */
  #storageOf(place: StoragePlace): FileStorage {
    const { storage } = this.#options
    if (place !== 'backup') return storage
    if (storage.backup !== undefined) return storage.backup
    throw new StorageError('the file lies in the backup, and storage.local.backuppath names none', { passes: false })
  }
}
