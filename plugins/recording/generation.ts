import {
  messageOf,
  withDeadline,
  type AlarmNotice,
  type DrainCause,
  type PluginContext,
  type RecordConfig,
  type Recordings,
} from 'sluice/sdk'
import { S3Client } from './bucket/s3/client.ts'
import { UploadMeters } from './bucket/upload-meters.ts'
import { Catalogue } from './catalogue/catalogue.ts'
import { CatalogueLists } from './catalogue/catalogue-lists.ts'
import type { FileEntry } from './catalogue/file-entry.ts'
import { RecordedDays } from './catalogue/recorded-days.ts'
import { RecordingTags } from './catalogue/recording-tags.ts'
import type { RecordingTables } from './catalogue/recording-tables.ts'
import { StoredFiles } from './files/stored-files.ts'
import { Recovery } from './files/recovery.ts'
import { RemoteFiles } from './files/remote-files.ts'
import { Retention } from './files/retention.ts'
import { StorageWatch, type WatchedPlace } from './files/storage-watch.ts'
import { createKept, KEPT_NAME, type Kept, type NewestGeneration } from './kept.ts'
import { PlaybackSource } from './playback/playback-source.ts'
import { Recorder } from './record/recorder.ts'
import { ServerClock } from './record/server-clock.ts'
import { RecordingsService } from './recordings-service.ts'

/** The time limit for finishing files when a generation is closed. */
const CLOSE_MS = 2900
/** The time for which a start waits for the disks. */
const LOOK_PATIENCE_MS = 2000
/** The time limit for the bucket to discard incomplete uploads, which another generation begins again. */
const RETIRE_MS = 5000

/** One generation of the plugin: the running recordings, the files, the catalogue, the retention and the playback. */
export class Generation {
  readonly recordings: Recordings
  readonly days: RecordedDays
  readonly playback: PlaybackSource
  readonly #ctx: PluginContext<unknown>
  readonly #kept: Kept
  readonly #recorder: Recorder
  readonly #catalogue: Catalogue
  readonly #watch: StorageWatch
  readonly #retention: Retention
  readonly #recovery: Recovery
  readonly #remote: RemoteFiles | undefined
  /** Ends the connections to the bucket when it is aborted. */
  readonly #ending = new AbortController()
  readonly #own: NewestGeneration
  /** The former generation, until this one has taken over. */
  #before: NewestGeneration | undefined
  /** Resolves when no earlier generation uploads files any more. */
  #uploading: Promise<void> = Promise.resolve()
  /** `newest` while this generation does the tasks that only one generation may do, `new` before that, `retired` after it. */
  #phase: 'new' | 'newest' | 'retired' = 'new'
  #forgetDatabase: () => void = () => {}
  #closing: Promise<void> | undefined

  constructor(ctx: PluginContext<unknown>) {
    const { log, hooks, files: storage } = ctx
    this.#ctx = ctx
    const kept = ctx.keep(KEPT_NAME, createKept)
    this.#kept = kept
    this.#before = kept.newest
    const { active, held } = kept
    const catalogue = new Catalogue({ log, db: ctx.store<RecordingTables>(), database: ctx.database, active })
    this.#catalogue = catalogue
    const clock = new ServerClock(undefined, kept.clock)
    const remote = this.#openRemote()
    this.#remote = remote
    const files = new StoredFiles({ log, catalogue, storage, held, remote, send: (entry) => this.#send(entry) })
    const limits = ctx.global.storage.local
    const alarm = (notice: AlarmNotice) => hooks.notify('alarm', notice)
    this.#watch = new StorageWatch({
      log,
      local: storage,
      backup: storage.backup,
      alarm,
      known: kept.problems,
      isWanted: () => this.#hasRules,
      lost: (reason) => this.#recorder.interruptAll(reason),
      returned: (place) => this.#returned(place),
    })
    this.#retention = new Retention({
      log,
      catalogue,
      files,
      known: kept.full,
      sections: () => this.#recorder.sections,
      limits,
      full: (plugin, reason) => this.#recorder.interrupt(plugin, reason),
      isThere: (place) => this.#watch.isThere(place),
      alarm,
    })
    this.#recorder = new Recorder({
      ctx,
      kept,
      files,
      clock,
      fullness: (plugin) => this.#watch.problem ?? this.#retention.fullness(plugin),
      recorded: (file) => hooks.notify('recorded', file),
    })
    this.playback = new PlaybackSource({
      open: (init, signal) => this.recordings.open(init, signal),
      pluginOf: (type) => this.#recorder.sections.find(({ types }) => types.includes(type))?.plugin,
      anyPlugin: () => this.#recorder.usual?.plugin,
      leads: kept.leads,
    })
    const lists = new CatalogueLists(catalogue)
    this.days = new RecordedDays(catalogue)
    const tags = new RecordingTags(catalogue.db)
    const parts = { log, recorder: this.#recorder, catalogue, lists, tags, files, clock, hold: () => ctx.hold() }
    this.recordings = new RecordingsService(parts)
    this.#recovery = new Recovery({ log, catalogue, files, service: (type) => this.#recorder.service(type) })
    this.#own = {
      retire: (buffered) => this.#retire(buffered),
      store: (entries) => catalogue.adopt(entries),
      send: (entry) => remote?.send(entry),
    }
  }

  /** True while the folders of the storage are there and can be written, as far as that was tried. */
  get isStorageWell(): boolean {
    return this.#watch.isWell
  }

  /** Checks the folders of the storage. Returns without an answer of a slow disk, which is reported later. */
  async prepare(): Promise<void> {
    const looked = this.#watch.start()
    await withDeadline(looked, LOOK_PATIENCE_MS, () => new Error('late')).catch(() => undefined)
  }

  /** Applies the present plugins and their rules. The first call also takes over from the former generation. */
  apply(): void {
    if (this.#phase === 'retired') return
    if (this.#phase === 'new') return this.#takeOver()
    const before = this.#recordingPlugins
    this.#recorder.apply()
    this.#recover()
    // Files of a new plugin may have expired, and the disk may be too full by its limit.
    if (this.#recordingPlugins !== before) this.#retention.look()
  }

  #takeOver(): void {
    this.#phase = 'newest'
    this.#kept.newest = this.#own
    this.#recorder.takeOver()
    this.#recorder.apply()
    // The former generation buffers streams for events until this one does.
    const buffered = this.#recorder.buffered()
    this.#uploading = this.#before?.retire(buffered) ?? Promise.resolve()
    this.#before = undefined
    this.#retention.start()
    this.#forgetDatabase = this.#ctx.database.onAvailable(() => this.#catchUp())
    this.#catchUp()
  }

  /** The names of the plugins that record. */
  get #recordingPlugins(): string {
    return this.#recorder.sections.map(({ plugin }) => plugin).join()
  }

  published(streamPath: string): void {
    this.#recorder.published(streamPath)
  }

  unpublished(streamPath: string): void {
    this.#recorder.unpublished(streamPath)
  }

  /** Ends the viewers of a path at once when its recordings can't be played. */
  playFailed(streamPath: string): void {
    if (!this.playback.names(streamPath)) return
    const { streams } = this.#ctx
    const waiting = streams.subscribers(streamPath).map(({ id }) => id)
    streams.end(waiting, { code: 'timeout', text: 'its recordings cannot be played' })
  }

  /** Ends the tasks that only one generation may do: another generation takes over, or the plugin was removed. */
  drain(cause: DrainCause): void {
    if (cause === 'replaced') void this.#retire(Promise.resolve())
    // When the server stops, the generation is disposed in this turn of the event loop.
    else queueMicrotask(() => void (this.#ctx.signal.aborted ? this.close() : this.#endAll()))
  }

  /** Ends all recordings because the plugin was removed, and waits for their files without a limit. */
  async #endAll(): Promise<void> {
    const letGo = this.#ctx.hold()
    await Promise.all([this.#retire(Promise.resolve()), this.#recorder.close('its plugin is gone')])
    letGo()
  }

  /** Ends all recordings and waits up to `CLOSE_MS` for their files and rows; the next start recovers unfinished files. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    const { log, signal } = this.#ctx
    const endMs = performance.now() + CLOSE_MS
    this.#phase = 'retired'
    this.#forgetDatabase()
    if (this.#kept.newest === this.#own) this.#kept.newest = undefined
    try {
      const ended = Promise.all([
        this.#recorder.close(messageOf(signal.reason)),
        this.#retention.close(),
        this.#watch.close(),
      ])
      await withDeadline(ended, CLOSE_MS, () => new Error('the disk takes too long'))
    } catch (err) {
      log.warn({ err }, 'recordings were not finished')
    }
    const leftMs = Math.max(0, endMs - performance.now())
    await Promise.all([this.#remote?.close(leftMs), this.#catalogue.close(leftMs, () => this.#kept.newest?.store)])
    this.#ending.abort()
  }

  /** Ends the tasks that only one generation may do. @returns resolves when this generation uploads no more files */
  async #retire(buffered: Promise<void>): Promise<void> {
    if (this.#phase === 'retired') return
    this.#phase = 'retired'
    this.#forgetDatabase()
    this.#recorder.retire(buffered)
    const letGo = this.#ctx.hold()
    await Promise.all([this.#remote?.close(RETIRE_MS), this.#retention.close(), this.#watch.close()])
    letGo()
  }

  get #hasRules(): boolean {
    return this.#ctx.plugins.list().some(({ name, provides, config }) => {
      // The config system put this group into the section of a plugin with record rules.
      const { onpub } = config as Partial<RecordConfig>
      return provides.includes(`record:${name}`) && Object.keys(onpub?.record ?? {}).length > 0
    })
  }

  /** Returns undefined when no bucket is configured or its config is wrong: files then stay on this machine. */
  #openRemote(): RemoteFiles | undefined {
    const { log, net, metrics, global, files } = this.#ctx
    const { s3 } = global.storage
    if (s3.bucket === '') return undefined
    try {
      const client = new S3Client(s3, { dialer: net.dialer('', { isAnywhere: true }), signal: this.#ending.signal })
      const meters = new UploadMeters(metrics)
      const catalogue = this.#catalogue
      return new RemoteFiles({ log, client, local: files, catalogue, meters, spoolBytes: s3.spoolsize })
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'recordings stay on this machine: storage.s3 is wrong')
      return undefined
    }
  }

  /** Queues a finished file for the bucket. A retired generation hands it to the newest one, once its row is stored. */
  #send(entry: FileEntry): void {
    if (this.#phase !== 'retired') return this.#remote?.send(entry)
    const { newest } = this.#kept
    if (newest !== undefined) void this.#catalogue.stored(entry).then(() => newest.send(entry))
  }

  #catchUp(): void {
    this.#recover()
    void this.#sendAll()
  }

  /** Recovers the unfinished files of each type once, as soon as its plugin, the database and the storage are there. */
  #recover(): void {
    const { recovered } = this.#kept
    if (this.#phase !== 'newest' || !this.#ctx.database.exists || !this.#watch.isThere('local')) return
    const recovering: Promise<void>[] = []
    for (const { types, section } of this.#recorder.sections) {
      for (const type of types.filter((known) => section.autorecovery && !recovered.has(known))) {
        recovered.add(type)
        recovering.push(this.#recoverType(type))
      }
    }
    // Recovered files are finished now, and can go to the bucket.
    if (recovering.length > 0) void Promise.all(recovering).then(() => this.#sendAll())
  }

  async #recoverType(type: string): Promise<void> {
    const { startMs, recovered } = this.#kept
    if (!(await this.#recovery.recover(type, startMs))) recovered.delete(type)
  }

  /** Queues all files that wait for the bucket, once the storage is there and no former generation uploads. */
  async #sendAll(): Promise<void> {
    await this.#uploading
    if (this.#phase === 'newest' && this.#watch.isThere('local')) await this.#remote?.sendAll()
  }

  /** Catches up on the work that could not be done while a storage was missing. */
  #returned(place: WatchedPlace): void {
    if (place === 'backup') return
    this.#recorder.retry()
    this.#catchUp()
  }
}
