import { isDeepStrictEqual } from 'node:util'
import {
  InvalidRequest,
  SluiceError,
  StreamUnavailable,
  type ActiveRecording,
  type PluginContext,
  type RecordConfig,
  type RecordedFile,
  type RecordingSource,
  type RecordRule,
  type RecordService,
} from 'sluice/sdk'
import type { StoredFiles } from '../files/stored-files.ts'
import type { Kept } from '../kept.ts'
import { EventBuffers } from './event-buffers.ts'
import { RecordJob, type RecordJobInit, type RecordJobOptions } from './record-job.ts'
import { recordingPlace, RecordRules, type WantedRecording } from './record-rules.ts'
import type { ServerClock } from './server-clock.ts'

export type RecorderOptions = {
  readonly ctx: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'plugins' | 'services' | 'streams'>
  readonly kept: Pick<Kept, 'over' | 'recordings' | 'sources'>
  readonly files: StoredFiles
  readonly clock: ServerClock
  /** Returns the reason for which a plugin may write nothing at present; undefined when there is none. */
  readonly fullness: (plugin: string) => string | undefined
  /** Called with each file that has ended. */
  readonly recorded: (file: RecordedFile) => void
}

/** The stream is recorded there already (api.md 6). */
class RecordExists extends SluiceError {
  constructor() {
    super('RECORD_EXISTS', 409, 'record exists')
  }
}

/** The defaults of a source's rule, which has only a folder and a fragment. */
const PLAIN_RULE: Omit<RecordRule, 'filepath' | 'fragment'> = {
  mode: 'auto',
  type: '',
  filename: '{date}-{time}',
  append: false,
  duration: 0,
}

/** A plugin that records, with its section and the types that it records. */
export type RecordSection = {
  readonly plugin: string
  readonly types: readonly string[]
  readonly section: RecordConfig
}

/** Starts and ends recordings, as rules, sources, events and operators ask, and holds those that run. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #buffers: EventBuffers
  /** The jobs that have not ended, by place. */
  readonly #jobs = new Map<string, RecordJob>()
  /** The jobs that end because their rule was changed or removed. */
  readonly #unwanted = new WeakSet<RecordJob>()
  #rules = new RecordRules([])
  #closed = false

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#buffers = new EventBuffers(options.ctx)
  }

  /** Continues the recordings of the former generation. */
  takeOver(): void {
    for (const former of this.#options.kept.recordings.values().toArray()) {
      const { wanted, origin, eventTerms } = former
      this.#begin({ wanted, origin, eventTerms, former })
    }
  }

  /** Applies the present rules of the plugins: starts new recordings, ends those without a rule, and leaves the rest alone. */
  apply(): void {
    if (this.#closed) return
    const { ctx } = this.#options
    this.#rules = new RecordRules(ctx.plugins.rules('record'))
    this.#stopUnwanted()
    this.#buffers.keepOnly(this.#rules)
    for (const { path } of ctx.streams.list()) this.published(path)
  }

  /** See `Recordings.addSource`. */
  addSource(source: RecordingSource): () => void {
    const { sources } = this.#options.kept
    sources.add(source)
    for (const { path } of this.#options.ctx.streams.list()) this.published(path)
    return () => void sources.delete(source)
  }

  /** The plugins that record, in their order. */
  get sections(): RecordSection[] {
    return [...this.#rules.sections].map(([plugin, section]) => {
      const provides = this.#options.ctx.plugins.get(plugin)?.provides ?? []
      const types = provides.flatMap((name) => (name.startsWith('record:') ? [name.slice('record:'.length)] : []))
      return { plugin, section, types }
    })
  }

  get jobs(): readonly RecordJob[] {
    return [...this.#jobs.values()]
  }

  /** Returns the plugin that records a type, with its section. @throws {InvalidRequest} no plugin does */
  pluginOf(type: string): { readonly plugin: string; readonly section: RecordConfig } {
    const providing = this.#options.ctx.plugins
      .list()
      .find(({ isRunning, provides }) => isRunning && provides.includes(`record:${type}`))
    const section = providing && this.#rules.sections.get(providing.name)
    if (providing === undefined || section === undefined) throw new InvalidRequest(`no plugin records ${type}`)
    return { plugin: providing.name, section }
  }

  service(type: string): RecordService | undefined {
    return this.#options.ctx.services.get(`record:${type}`)
  }

  /** The type for recordings that name none, with its plugin: the usual type, or the first one. */
  get usual(): { readonly plugin: string; readonly type: string } | undefined {
    const all = this.sections.flatMap(({ plugin, types }) => types.map((type) => ({ plugin, type })))
    return all.find(({ type }) => this.service(type)?.isUsual === true) ?? all[0]
  }

  /** Returns the reason for which a plugin may write nothing at present; undefined when there is none. */
  obstacle(plugin: string): string | undefined {
    return this.#options.fullness(plugin)
  }

  /** Returns the recordings of a stream in a type that have not ended. */
  of(type: string, streamPath: string): RecordJob[] {
    return this.jobs.filter(({ wanted }) => wanted.type === type && wanted.streamPath === streamPath)
  }

  /**
   * Starts a recording.
   * @throws {RecordExists} its place has a recording already
   * @throws {StreamUnavailable} the server is stopping
   */
  start(init: RecordJobInit): RecordJob {
    if (this.#closed) throw new StreamUnavailable('the server is stopping')
    if (this.#jobs.has(recordingPlace(init.wanted))) throw new RecordExists()
    return this.#begin(init)
  }

  /** Ends the files of a plugin's recordings, which are tried again later. */
  interrupt(plugin: string, reason: string): void {
    for (const job of this.jobs) if (job.wanted.plugin === plugin) job.interrupt(reason)
  }

  /** Does as {@link interrupt} for all plugins. */
  interruptAll(reason: string): void {
    for (const job of this.jobs) job.interrupt(reason)
  }

  /** Makes the jobs that wait for their next attempt try again at once. */
  retry(): void {
    for (const { job } of this.jobs) job.retryNow()
  }

  /** Records a stream that has a publisher, as the rules and sources ask. */
  published(streamPath: string): void {
    const stream = this.#options.ctx.streams.get(streamPath)
    // Playbacks of recordings, and streams that were made of others for their players, are not recorded.
    if (this.#closed || stream === undefined || stream.personal || stream.type === 'transform') return
    this.#stopUnwanted(streamPath)
    const over = this.#overOf(streamPath)
    for (const wanted of this.#wanted(streamPath)) {
      const place = recordingPlace(wanted)
      if (wanted.rule.mode === 'event') this.#buffers.keep(wanted, this.#rules.sections)
      else if (!this.#jobs.has(place) && !over.has(place)) this.#begin({ wanted, origin: 'rule' })
    }
  }

  unpublished(streamPath: string): void {
    this.#options.kept.over.delete(streamPath)
  }

  /** Resolves when all streams that rules of mode `event` match are buffered, or can't be. */
  buffered(): Promise<void> {
    return this.#buffers.begun()
  }

  /** Starts no more recordings, since another generation does. @param buffered resolves when that one buffers streams for events */
  retire(buffered: Promise<void>): void {
    this.#closed = true
    void buffered.then(() => this.#buffers.close())
  }

  /** Ends all recordings and starts no more; resolves when their files are finished. */
  async close(reason: string): Promise<void> {
    this.#closed = true
    this.#buffers.close()
    for (const job of this.jobs) job.stop(reason)
    await Promise.all(this.jobs.map(({ done }) => done))
  }

  #begin(init: RecordJobInit): RecordJob {
    const { ctx, files, clock, fullness, recorded, kept } = this.#options
    const { streamPath } = init.wanted
    const place = recordingPlace(init.wanted)
    const options: RecordJobOptions = {
      ctx,
      files,
      clock,
      fullness,
      recorded,
      service: (type) => this.service(type),
      isTaking: () => !this.#closed,
    }
    const job = new RecordJob(init, options)
    this.#jobs.set(place, job)
    kept.recordings.set(place, job)
    const publishedMs = this.#publishedMs(streamPath)
    void job.done.then(() => this.#ended(place, job, publishedMs))
    return job
  }

  /** Removes a job that has ended. @param formerMs the start of the publisher that the stream had when the job began */
  #ended(place: string, job: RecordJob, formerMs: number | undefined): void {
    const { kept } = this.#options
    const { streamPath } = job.wanted
    this.#jobs.delete(place)
    if (job.isHandedOver) return
    if (kept.recordings.get(place) === job) kept.recordings.delete(place)
    const publishedMs = this.#publishedMs(streamPath)
    // Another publisher may have begun while the last file was ended.
    if (this.#unwanted.has(job) || (!job.wasEnded && publishedMs !== formerMs)) this.published(streamPath)
    else if (job.origin === 'rule' && publishedMs !== undefined) this.#overOf(streamPath).add(place)
  }

  /** Returns the start of a stream's publisher, which identifies the publisher; undefined when there is none. */
  #publishedMs(streamPath: string): number | undefined {
    return this.#options.ctx.streams.get(streamPath)?.startTime.getTime()
  }

  /** Returns the places of recordings by rules that ended before the present publisher of a stream. */
  #overOf(streamPath: string): Set<string> {
    const { over } = this.#options.kept
    const publishedMs = this.#publishedMs(streamPath) ?? 0
    const known = over.get(streamPath)
    if (known?.publishedMs === publishedMs) return known.places
    const places = new Set<string>()
    over.set(streamPath, { publishedMs, places })
    return places
  }

  /** Ends the recordings, of one stream or of all, that rules have asked for and no longer ask for. */
  #stopUnwanted(streamPath?: string): void {
    for (const job of this.#jobs.values()) {
      const { wanted, origin } = job
      if (origin !== 'rule' || wanted.streamPath !== (streamPath ?? wanted.streamPath)) continue
      const isWanted = this.#wanted(wanted.streamPath).some((other) => isDeepStrictEqual(other, wanted))
      if (isWanted) continue
      this.#unwanted.add(job)
      job.stop('its rule is gone')
    }
  }

  #wanted(streamPath: string): WantedRecording[] {
    const asked = [...this.#options.kept.sources].flatMap((source) => source(streamPath) ?? [])
    const usual = asked.length === 0 ? undefined : this.usual
    if (usual === undefined) return this.#rules.match(streamPath)
    const bySources = asked.map(({ folder, fragmentMs }): WantedRecording => {
      const rule = { ...PLAIN_RULE, filepath: folder, fragment: fragmentMs }
      return { ...usual, streamPath, rule }
    })
    return [...this.#rules.match(streamPath), ...bySources]
  }
}

/** A running recording, as the service shows it. */
export function activeRecording({ wanted, job, mode, startMs, file, taskIds }: RecordJob): ActiveRecording {
  const { type, streamPath, rule } = wanted
  const { filepath: filePath, fragment: fragmentMs, append } = rule
  const formerTaskIds = taskIds.slice(0, -1)
  return { taskId: job.id, formerTaskIds, type, streamPath, filePath, mode, fragmentMs, append, startMs, file }
}
