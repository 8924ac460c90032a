import type { Logger } from 'pino'
import {
  type AlarmNotice,
  type Lead,
  messageOf,
  type Recordings,
  type RecordService,
  type SessionRequest,
} from 'sluice/sdk'
import type { OwnedMetrics } from 'sluice/sdk/host'
import { withDeadline } from '../base/deadline.ts'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { PluginView } from '../host/plugin-view.ts'
import type { JobMeters } from '../jobs/job-meters.ts'
import type { PullManager } from '../jobs/pull-manager.ts'
import { createDialer } from '../net/dialer/dialer.ts'
import { ConfiguredNetworks } from '../net/network-list.ts'
import type { TaskTree } from '../observe/task-tree.ts'
import type { LocalStorage } from 'sluice/sdk/host'
import { S3Client } from '../storage/s3/client.ts'
import type { S3Config } from 'sluice/sdk'
import type { ServerStorage } from 'sluice/sdk/host'
import { UploadMeters } from '../storage/upload-meters.ts'
import type { Store } from '../store/store.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { Catalogue } from './catalogue.ts'
import { CatalogueLists } from './catalogue-lists.ts'
import { PlaybackSource } from './playback-source.ts'
import { RecordingFiles } from './recording-files.ts'
import { RecordingManager } from './recording-manager.ts'
import { RecordingsService } from './recordings-service.ts'
import { Recovery } from './recovery.ts'
import { RemoteFiles } from './remote-files.ts'
import { Retention } from './retention.ts'
import { RecordingTags } from './recording-tags.ts'
import { ServerClock } from './server-clock.ts'
import { StorageWatch, type WatchedPlace } from './storage-watch.ts'

type StorageConfig = {
  readonly s3: S3Config & { readonly spoolsize: number }
  readonly local: {
    readonly overwritepercent: number
    readonly backupoverwritepercent: number
  }
}

type RecordingSystemOptions = ServerStorage & {
  readonly log: Logger
  readonly store: Pick<Store, 'exists' | 'tables' | 'onAvailable'>
  readonly services: { get(name: string): unknown }
  readonly tasks: Pick<TaskTree, 'registryFor'>
  readonly hooks: Pick<HookRunner, 'registryFor'>
  readonly streams: Pick<StreamRegistry, 'get' | 'list' | 'subscribe' | 'subscribers'>
  readonly meters: JobMeters
  readonly metrics?: OwnedMetrics
  /** `global.storage` as the server starts. */
  readonly storage: StorageConfig
}

/** All that has to do with recordings: what goes on, the files, what is known of them, and when they go. */
export class RecordingSystem {
  readonly recordings: Recordings
  readonly manager: RecordingManager
  readonly #options: RecordingSystemOptions
  readonly #catalogue: Catalogue
  readonly #playback: PlaybackSource
  readonly #watch: StorageWatch
  readonly #retention: Retention
  readonly #recovery: Recovery
  readonly #remote: RemoteFiles | undefined
  /** Ends the connections to the bucket. */
  readonly #ending = new AbortController()
  /** The types whose unfinished files were looked at. */
  readonly #recovered = new Set<string>()
  readonly #startMs = Date.now()
  #plugins: readonly PluginView[] = []
  #forgetStore: () => void = () => {}
  #isStarted = false

  constructor(options: RecordingSystemOptions) {
    const { log, store, storage, hooks, local, backup } = options
    this.#options = options
    const catalogue = new Catalogue({ log, store })
    const clock = new ServerClock()
    this.#catalogue = catalogue
    const remote = this.#openRemote(catalogue, local)
    this.#remote = remote
    const files = new RecordingFiles({ log, catalogue, local, backup, remote })
    const registry = hooks.registryFor({ plugin: 'global', log })
    const alarm = (notice: AlarmNotice) => registry.notify('alarm', notice)
    this.#watch = new StorageWatch({
      log,
      local,
      backup,
      alarm,
      isWanted: () => this.manager.hasRules,
      lost: (reason) => this.manager.interruptAll(reason),
      returned: (place) => this.#returned(place),
    })
    this.#retention = new Retention({
      log,
      catalogue,
      files,
      sections: () => this.#sections(),
      limits: () => storage.local,
      full: (plugin, reason) => this.manager.interrupt(plugin, reason),
      isThere: (place) => this.#watch.isThere(place),
      alarm,
    })
    this.manager = new RecordingManager({
      ...options,
      files,
      clock,
      fullness: (plugin) => this.#watch.problem ?? this.#retention.fullness(plugin),
    })
    this.#playback = new PlaybackSource({
      open: (init, signal) => this.recordings.open(init, signal),
      pluginOf: (type) => this.#sections().find(({ types }) => types.includes(type))?.plugin,
      anyPlugin: (preferred) => (this.manager.sections.has(preferred) ? preferred : this.#sections()[0]?.plugin),
    })
    const lists = new CatalogueLists(catalogue)
    const tags = new RecordingTags(catalogue.db)
    this.recordings = new RecordingsService({ log, manager: this.manager, catalogue, lists, tags, files, clock })
    this.#recovery = new Recovery({ log, catalogue, files, service: (type) => this.#service(type) })
  }

  /** Takes over the plugins as they are now. */
  apply(plugins: readonly PluginView[]): void {
    this.#plugins = plugins
    this.manager.apply(plugins)
    this.#recover()
  }

  /** Plays recordings for those who ask for them. A viewer of some that are not there is told so at once. */
  playBy(pulls: Pick<PullManager, 'addSource' | 'onFailure'>): void {
    pulls.addSource(this.#playback)
    pulls.onFailure((streamPath) => {
      if (!this.#playback.names(streamPath)) return
      const reason = { code: 'timeout', text: 'its recordings cannot be played' } as const
      for (const subscriber of this.#options.streams.subscribers(streamPath)) subscriber.close(reason)
    })
  }

  /** Where a viewer is led who asks for a stream at a time that is over. */
  lead(request: Pick<SessionRequest, 'type' | 'streamPath' | 'params'>): Lead | undefined {
    return this.#playback.lead(request)
  }

  /** True while the folders of the storage are there and can be written, as far as that was tried. */
  get isStorageWell(): boolean {
    return this.#watch.isWell
  }

  /** Begins to look after the files, once it is known whether they are there. */
  async start(): Promise<void> {
    await this.#watch.start()
    this.#isStarted = true
    this.#forgetStore = this.#options.store.onAvailable(() => {
      this.#recover()
      this.#sendAll()
    })
    this.#retention.start()
    this.#recover()
  }

  /** Ends all recordings and waits for their files and rows, so long at most: what is not finished is mended at the next start. */
  async close(reason: string, timeoutMs: number): Promise<void> {
    this.#forgetStore()
    const endMs = performance.now() + timeoutMs
    try {
      const ended = Promise.all([this.manager.close(reason), this.#retention.close(), this.#watch.close()])
      await withDeadline(ended, timeoutMs, () => new Error('the disk takes too long'))
    } catch (err) {
      this.#options.log.warn({ err }, 'recordings were not finished')
    }
    const leftMs = Math.max(0, endMs - performance.now())
    await Promise.all([this.#remote?.close(leftMs), this.#catalogue.close(leftMs)])
    this.#ending.abort()
  }

  /** Undefined where files stay on this machine, also as the config of the bucket is wrong. */
  #openRemote(catalogue: Catalogue, local: LocalStorage): RemoteFiles | undefined {
    const { log, storage, metrics } = this.#options
    const { s3 } = storage
    if (s3.bucket === '') return undefined
    try {
      const dialer = createDialer({ deny: new ConfiguredNetworks(() => []) })
      const client = new S3Client(s3, { dialer, signal: this.#ending.signal })
      const meters = new UploadMeters(metrics)
      return new RemoteFiles({ log, client, local, catalogue, meters, spoolBytes: s3.spoolsize })
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'recordings stay on this machine: storage.s3 is wrong')
      return undefined
    }
  }

  /** Each type once, as soon as there are its plugin, the database and the files. */
  #recover(): void {
    if (!this.#isStarted || !this.#options.store.exists || !this.#watch.isThere('local')) return
    const recovering: Promise<void>[] = []
    for (const { types, section } of this.#sections()) {
      for (const type of types.filter((known) => section.autorecovery && !this.#recovered.has(known))) {
        this.#recovered.add(type)
        recovering.push(this.#recoverType(type))
      }
    }
    // What was mended is whole now.
    if (recovering.length > 0) void Promise.all(recovering).then(() => this.#sendAll())
  }

  /** Files that wait for the bucket would fail while their storage is not there. */
  #sendAll(): void {
    if (this.#watch.isThere('local')) void this.#remote?.sendAll()
  }

  /** Catches up on all that could not be done meanwhile. */
  #returned(place: WatchedPlace): void {
    if (place === 'backup') return
    this.manager.retry()
    this.#recover()
    this.#sendAll()
  }

  async #recoverType(type: string): Promise<void> {
    if (!(await this.#recovery.recover(type, this.#startMs))) this.#recovered.delete(type)
  }

  #sections() {
    return [...this.manager.sections].map(([plugin, section]) => ({ plugin, section, types: this.#typesOf(plugin) }))
  }

  #typesOf(plugin: string): string[] {
    const provided = this.#plugins.find(({ name }) => name === plugin)?.definition?.provides ?? []
    return provided.flatMap((name) => (name.startsWith('record:') ? [name.slice('record:'.length)] : []))
  }

  #service(type: string): RecordService | undefined {
    return this.manager.service(type)
  }
}
