import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import {
  InvalidRequest,
  SluiceError,
  StreamUnavailable,
  type ActiveRecording,
  type RecordConfig,
  type RecordedFile,
  type RecordingSource,
  type RecordRule,
  type RecordService,
  type TaskRegistry,
} from 'sluice/sdk'
import type { StreamOwner } from '../auth/stream-owner.ts'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { PluginView } from '../host/plugin-view.ts'
import type { JobMeters } from '../jobs/job-meters.ts'
import { jobNotices, type JobNotices } from 'sluice/sdk/host'
import type { TaskTree } from '../observe/task-tree.ts'
import type { StreamPublisher } from '../stream/stream-publisher.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { EventBuffers } from './event-buffers.ts'
import { RecordJob, type EventTerms, type RecordOrigin } from './record-job.ts'
import { recordingPlace, RecordRules, type WantedRecording } from './record-rules.ts'
import type { RecordingFiles } from './recording-files.ts'
import type { ServerClock } from './server-clock.ts'

export type RecordingManagerOptions = {
  readonly log: Logger
  readonly services: { get(name: string): unknown }
  readonly tasks: Pick<TaskTree, 'registryFor'>
  readonly hooks: Pick<HookRunner, 'registryFor'>
  readonly streams: Pick<StreamRegistry, 'get' | 'list' | 'subscribe'>
  readonly meters: JobMeters
  readonly files: RecordingFiles
  readonly clock: ServerClock
  /** Why a plugin's recordings may not be written at present, if so. */
  readonly fullness: (plugin: string) => string | undefined
}

/** The stream is recorded there already (api.md 6). */
class RecordExists extends SluiceError {
  constructor() {
    super('RECORD_EXISTS', 409, 'record exists')
  }
}

/** A rule that says nothing but where. */
const PLAIN_RULE: Omit<RecordRule, 'filepath' | 'fragment'> = {
  mode: 'auto',
  type: '',
  filename: '{date}-{time}',
  append: false,
  duration: 0,
}

/** All recordings that go on: those of the rules, of events and of operators. */
export class RecordingManager {
  readonly #options: RecordingManagerOptions
  readonly #tasks: TaskRegistry
  readonly #notices: JobNotices
  readonly #buffers: EventBuffers
  /** Those that have not ended, by place. */
  readonly #jobs = new Map<string, RecordJob>()
  /** Those of rules that were over before their stream, by its publisher: their places. */
  readonly #over = new WeakMap<object, Set<string>>()
  /** Those that end because their rule has changed or gone. */
  readonly #unwanted = new WeakSet<RecordJob>()
  readonly #sources = new Set<RecordingSource>()
  readonly #recordedListeners: ((file: RecordedFile) => void)[] = []
  #plugins: readonly PluginView[] = []
  #rules = new RecordRules([])
  #closed = false

  constructor(options: RecordingManagerOptions) {
    const { log, tasks, hooks, streams } = options
    this.#options = options
    this.#tasks = tasks.registryFor({ plugin: 'recordings', log })
    this.#buffers = new EventBuffers({ log, streams, owner: (plugin) => this.#owner(plugin) })
    const registry = hooks.registryFor({ plugin: 'global', log })
    this.#notices = jobNotices(registry)
    registry.on('published', ({ path }) => this.#startRules(path))
    this.#recordedListeners.push((file) => registry.notify('recorded', file))
  }

  /** Takes over the rules of the plugins as they are now: starts what is new, ends what is gone, leaves the rest alone. */
  apply(plugins: readonly PluginView[]): void {
    if (this.#closed) return
    this.#plugins = plugins
    this.#rules = new RecordRules(plugins)
    this.#stopUnwanted()
    this.#buffers.keepOnly(this.#rules)
    for (const { path } of this.#options.streams.list()) this.#startRules(path)
  }

  /** Asks another one besides the rules whether a stream that is published is to be recorded. */
  addSource(source: RecordingSource): () => void {
    this.#sources.add(source)
    return () => void this.#sources.delete(source)
  }

  /** Calls `listener` each time a file has ended. */
  onRecorded(listener: (file: RecordedFile) => void): void {
    this.#recordedListeners.push(listener)
  }

  /** The sections of the plugins that record, by name. */
  get sections(): ReadonlyMap<string, RecordConfig> {
    return this.#rules.sections
  }

  get jobs(): readonly RecordJob[] {
    return [...this.#jobs.values()]
  }

  /** The plugin that records a type, with its section. @throws {InvalidRequest} none does */
  recorderOf(type: string): { readonly plugin: string; readonly section: RecordConfig } {
    const view = this.#plugins.find(({ definition, state }) => {
      return state === 'running' && definition?.provides?.includes(`record:${type}`) === true
    })
    const section = view && this.#rules.sections.get(view.name)
    if (view === undefined || section === undefined) throw new InvalidRequest(`no plugin records ${type}`)
    return { plugin: view.name, section }
  }

  service(type: string): RecordService | undefined {
    // Plugins can provide a service of such a name only with this type.
    return this.#options.services.get(`record:${type}`) as RecordService | undefined
  }

  /** The reason for which a plugin may write nothing at present, if there is one. */
  obstacle(plugin: string): string | undefined {
    return this.#options.fullness(plugin)
  }

  /** The recordings of a stream in a type that have not ended. */
  of(type: string, streamPath: string): RecordJob[] {
    return this.jobs.filter(({ wanted }) => wanted.type === type && wanted.streamPath === streamPath)
  }

  /**
   * Starts a recording.
   * @throws {RecordExists}
   * @throws {StreamUnavailable} the server is stopping
   */
  start(wanted: WantedRecording, origin: RecordOrigin, eventTerms?: EventTerms): RecordJob {
    if (this.#closed) throw new StreamUnavailable('the server is stopping')
    const place = recordingPlace(wanted)
    if (this.#jobs.has(place)) throw new RecordExists()
    const { log, meters, streams, files, clock, fullness } = this.#options
    const options = {
      log,
      meters,
      streams,
      files,
      clock,
      fullness,
      tasks: this.#tasks,
      notices: this.#notices,
      service: (type: string) => this.service(type),
      owner: (plugin: string) => this.#owner(plugin),
      recorded: (file: RecordedFile) => this.#recordedListeners.forEach((listener) => listener(file)),
    }
    const job = new RecordJob(wanted, origin, options, eventTerms)
    this.#jobs.set(place, job)
    const publisher = streams.get(wanted.streamPath)?.publisher
    void job.job.done.then(() => this.#ended(place, job, publisher))
    return job
  }

  /** @param former who published when it was started */
  #ended(place: string, job: RecordJob, former: StreamPublisher | undefined): void {
    const { streamPath } = job.wanted
    const publisher = this.#options.streams.get(streamPath)?.publisher
    this.#jobs.delete(place)
    // Another one may have begun to publish while the last file was ended.
    if (this.#unwanted.has(job) || (!job.wasEnded && publisher !== former)) this.#startRules(streamPath)
    else if (job.origin === 'rule' && publisher !== undefined) {
      this.#over.set(publisher, (this.#over.get(publisher) ?? new Set()).add(place))
    }
  }

  /** Has the recordings of a plugin end their files, and be tried again later. */
  interrupt(plugin: string, reason: string): void {
    for (const job of this.jobs) if (job.wanted.plugin === plugin) job.interrupt(reason)
  }

  /** As {@link interrupt}, of all plugins. */
  interruptAll(reason: string): void {
    for (const job of this.jobs) job.interrupt(reason)
  }

  /** Has those tried again at once that wait for their next try. */
  retry(): void {
    for (const { job } of this.jobs) job.retryNow()
  }

  /** True where rules have streams recorded. */
  get hasRules(): boolean {
    return this.#rules.exist
  }

  /** Ends all recordings and starts no more; resolves when their files are whole. */
  async close(reason: string): Promise<void> {
    this.#closed = true
    this.#buffers.close()
    for (const { job } of this.jobs) job.stop(reason)
    await Promise.all(this.jobs.map(({ job }) => job.done))
  }

  #startRules(streamPath: string): void {
    const publisher = this.#options.streams.get(streamPath)?.publisher
    // What is played from recordings, and what was made of another stream for its players, is not what streams are recorded for.
    if (this.#closed || publisher === undefined || publisher.personal || publisher.request.type === 'transform') return
    this.#stopUnwanted(streamPath)
    const over = this.#over.get(publisher)
    for (const wanted of this.#wanted(streamPath)) {
      if (wanted.rule.mode === 'event') this.#buffers.keep(wanted, this.#rules.sections)
      else if (!this.#jobs.has(recordingPlace(wanted)) && !over?.has(recordingPlace(wanted))) this.start(wanted, 'rule')
    }
  }

  /** Ends the recordings that rules have asked for and do no more: of a stream, or of all. */
  #stopUnwanted(streamPath?: string): void {
    for (const recording of this.#jobs.values()) {
      const { wanted, origin, job } = recording
      if (origin !== 'rule' || wanted.streamPath !== (streamPath ?? wanted.streamPath)) continue
      const isWanted = this.#wanted(wanted.streamPath).some((other) => isDeepStrictEqual(other, wanted))
      if (isWanted) continue
      this.#unwanted.add(recording)
      job.stop('its rule is gone')
    }
  }

  #wanted(streamPath: string): WantedRecording[] {
    const asked = [...this.#sources].flatMap((source) => source(streamPath) ?? [])
    const rules = asked.map(({ folder, fragmentMs }): WantedRecording => {
      const rule = { ...PLAIN_RULE, filepath: folder, fragment: fragmentMs }
      return { plugin: 'mp4', type: 'mp4', streamPath, rule }
    })
    return [...this.#rules.match(streamPath), ...rules]
  }

  #owner(plugin: string): StreamOwner | undefined {
    const values = this.#plugins.find(({ name, state }) => name === plugin && state === 'running')?.config?.values
    if (values === undefined) return undefined
    return { plugin, generation: 0, log: this.#options.log.child({ plugin }), config: values, closingNotice: false }
  }
}

/** What others are shown of a recording that goes on. */
export function activeRecording({ wanted, job, mode, startMs, file }: RecordJob): ActiveRecording {
  const { type, streamPath, rule } = wanted
  const { filepath: filePath, fragment: fragmentMs, append } = rule
  return { taskId: job.id, type, streamPath, filePath, mode, fragmentMs, append, startMs, file }
}
