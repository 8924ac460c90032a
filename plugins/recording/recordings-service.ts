import { setTimeout as delay } from 'node:timers/promises'
import {
  assertKept,
  checkStreamPath,
  InvalidRequest,
  SluiceError,
  type ActiveRecording,
  type EventInit,
  type RecordedEvent,
  type RecordedFile,
  type RecordedFilter,
  type RecordingBytes,
  type RecordingEvent,
  type RecordingInit,
  type Recordings,
  type RecordingSource,
  type RecordingTags,
  type RecordRule,
} from 'sluice/sdk'
import type { Catalogue } from './catalogue/catalogue.ts'
import { MAX_FILES, recordedFile, type CatalogueLists } from './catalogue/catalogue-lists.ts'
import { checkPlaceholders, folderPathOf } from './record/file-name.ts'
import { openPlayback } from './playback/playback.ts'
import type { RecordJob, RecordJobInit } from './record/record-job.ts'
import type { WantedRecording } from './record/record-rules.ts'
import { eventColumns, type FileEntry } from './catalogue/file-entry.ts'
import type { StoredFiles } from './files/stored-files.ts'
import { activeRecording, type Recorder } from './record/recorder.ts'
import type { ServerClock } from './record/server-clock.ts'
import type { Logger } from 'pino'

/** The time for which a start waits for the first file or a failure; a recording may have to wait longer for its stream. */
const BEGIN_TIMEOUT_MS = 15_000

type ServiceParts = {
  readonly log: Logger
  readonly recorder: Recorder
  readonly catalogue: Catalogue
  readonly lists: CatalogueLists
  readonly tags: RecordingTags
  readonly files: StoredFiles
  readonly clock: ServerClock
  /** Keeps the generation from its end; see `PluginContext.hold`. */
  readonly hold: () => () => void
}

class RecordFailed extends SluiceError {
  constructor(message: string) {
    super('RECORD_FAILED', 502, message)
  }
}

/** The bytes of a file, which keep the generation from its end until they are closed. */
class HeldBytes implements RecordingBytes {
  readonly #bytes: RecordingBytes
  readonly #letGo: () => void

  constructor(bytes: RecordingBytes, letGo: () => void) {
    this.#bytes = bytes
    this.#letGo = letGo
  }

  get sizeBytes(): number {
    return this.#bytes.sizeBytes
  }

  read(offset: number, sizeBytes: number): Promise<Buffer> {
    return this.#bytes.read(offset, sizeBytes)
  }

  close(): Promise<void> {
    this.#letGo()
    return this.#bytes.close()
  }
}

/** The service `recordings`. */
export class RecordingsService implements Recordings {
  readonly tags: RecordingTags
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.tags = parts.tags
    this.#parts = parts
  }

  async start(init: RecordingInit): Promise<ActiveRecording> {
    const wanted = this.#wanted(init, `${init.filePath ?? '.'}/{stream}`, init.fileName)
    const job = this.#begin({ wanted, origin: 'operator' })
    await begun(job)
    return activeRecording(job)
  }

  async startEvent(init: EventInit): Promise<RecordedEvent> {
    const { recorder, clock } = this.#parts
    const streamPath = checkStreamPath(init.streamPath)
    const { section } = recorder.pluginOf(init.type)
    const { beforeMs = section.beforeduration, afterMs = section.afterduration } = init
    const nowMs = Date.now()
    const event = eventOfInit(init)
    const range = { startMs: nowMs - beforeMs, endMs: nowMs + afterMs }
    const untilMs = clock.uptimeMs + afterMs
    const jobs = recorder.of(init.type, streamPath)
    const running = jobs.find(({ eventTerms }) => eventTerms !== undefined)
    if (running?.eventTerms !== undefined) {
      running.eventTerms.untilMs = Math.max(running.eventTerms.untilMs, untilMs)
      return this.#note(init.type, streamPath, running, event, range)
    }
    const [continuous] = jobs
    if (continuous !== undefined) return this.#note(init.type, streamPath, continuous, event, range)
    const folder = `${section.eventrecordfilepath || '.'}/{stream}`
    const wanted = this.#wanted({ ...init, streamPath }, folder, undefined)
    const job = this.#begin({ wanted, origin: 'event', eventTerms: { event, beforeMs, untilMs } })
    await begun(job)
    return this.#note(init.type, streamPath, job, event, { ...range, startMs: job.file?.startMs ?? nowMs })
  }

  async stop(type: string, streamPath: string): Promise<ActiveRecording[]> {
    return this.#stop(this.#parts.recorder.of(type, checkStreamPath(streamPath)))
  }

  async stopTask(taskId: number): Promise<ActiveRecording | undefined> {
    const [stopped] = await this.#stop(this.#parts.recorder.jobs.filter(({ taskIds }) => taskIds.includes(taskId)))
    return stopped
  }

  active(): ActiveRecording[] {
    return this.#parts.recorder.jobs.map(activeRecording)
  }

  addSource(source: RecordingSource): () => void {
    return this.#parts.recorder.addSource(source)
  }

  async list(filter: RecordedFilter, page: { limit: number; offset: number }) {
    const { total, files } = await this.#parts.lists.files(filter, page)
    return { total, files: files.map(recordedFile) }
  }

  listEvents(filter: RecordedFilter, page: { limit: number; offset: number }) {
    return this.#parts.lists.events(filter, page)
  }

  catalogue(type?: string) {
    return this.#parts.lists.streams(type)
  }

  async remove(filter: RecordedFilter): Promise<RecordedFile[]> {
    if (filter.ids === undefined && filter.startMs === undefined && filter.endMs === undefined) {
      throw new InvalidRequest('name the ids of the recordings to delete, or their time')
    }
    const { files } = await this.#parts.lists.files(filter, { limit: MAX_FILES, offset: 0 })
    const whole = files.filter(({ isActive }) => !isActive)
    const deleted: RecordedFile[] = []
    for (const entry of whole) if (await this.#parts.files.delete(entry)) deleted.push(recordedFile(entry))
    return deleted
  }

  async find(init: Parameters<Recordings['find']>[0]): Promise<RecordedFile[]> {
    return (await this.#parts.lists.inTime(init)).map(recordedFile)
  }

  async openBytes(file: RecordedFile, signal?: AbortSignal): Promise<RecordingBytes> {
    const { files, hold } = this.#parts
    const entry = await this.#entry(file)
    const letGo = hold()
    try {
      return new HeldBytes(await files.openBytes(entry, signal), letGo)
    } catch (error) {
      letGo()
      throw error
    }
  }

  async remoteUrl(file: RecordedFile): Promise<string | undefined> {
    return this.#parts.files.urlOf(await this.#entry(file))
  }

  async open(init: Parameters<Recordings['open']>[0], signal: AbortSignal) {
    const { log, lists, files, recorder } = this.#parts
    const entries = await lists.inTime(init)
    // The playback opens files one after another, until the signal aborts.
    const letGo = this.#parts.hold()
    signal.addEventListener('abort', letGo)
    try {
      return await openPlayback({ log, entries, init, files, service: (type) => recorder.service(type), signal })
    } catch (error) {
      letGo()
      throw error
    }
  }

  /** @throws {RecordFailed} nothing may be written at present */
  #begin(init: RecordJobInit): RecordJob {
    const { recorder } = this.#parts
    const obstacle = recorder.obstacle(init.wanted.plugin)
    if (obstacle !== undefined) throw new RecordFailed(obstacle)
    return recorder.start(init)
  }

  async #stop(jobs: readonly RecordJob[]): Promise<ActiveRecording[]> {
    const stopped = jobs.map(activeRecording)
    for (const job of jobs) job.stop('it was stopped')
    await Promise.all(jobs.map(({ done }) => done))
    await this.#parts.catalogue.settled()
    return stopped
  }

  /** Returns the catalogue's entry of a file, which has its place. @throws {InvalidRequest} there is no such file */
  async #entry({ id, type, streamPath }: RecordedFile): Promise<FileEntry> {
    const { files } = await this.#parts.lists.files({ ids: [id], type, streamPath }, { limit: 1, offset: 0 })
    const [entry] = files
    if (entry === undefined) throw new InvalidRequest('there is no such recording')
    return entry
  }

  /** @throws {InvalidRequest} */
  #wanted(init: Omit<RecordingInit, 'filePath' | 'fileName'>, folder: string, name = '{date}-{time}'): WantedRecording {
    const streamPath = checkStreamPath(init.streamPath)
    const { type, fragmentMs = 0, durationMs = 0 } = init
    const { plugin } = this.#parts.recorder.pluginOf(type)
    for (const text of [folder, name]) checkPlaceholders(text)
    folderPathOf(folder, { type, streamPath, startMs: 0 })
    const rule: RecordRule = {
      mode: 'auto',
      type: '',
      filepath: folder,
      filename: name,
      append: false,
      fragment: fragmentMs,
      duration: durationMs,
    }
    return { plugin, streamPath, type, rule }
  }

  /** Stores the row of an event. Without a database, an event with a recording of its own has its file only; others reject. */
  async #note(
    type: string,
    streamPath: string,
    job: RecordJob,
    event: RecordingEvent,
    range: { readonly startMs: number; readonly endMs: number },
  ): Promise<RecordedEvent> {
    const filePath = job.file?.filePath ?? ''
    const row = {
      type,
      stream_path: streamPath,
      file_path: filePath,
      start_ms: range.startMs,
      end_ms: range.endMs,
      ...eventColumns(event),
    }
    const known = { id: 0, type, streamPath, filePath, ...range, ...event }
    try {
      const { db } = this.#parts.catalogue
      const inserted = await db.insertInto('sluice_recording_event').values(row).returning('id').executeTakeFirst()
      return { ...known, id: inserted?.id ?? 0 }
    } catch (error) {
      if (job.eventTerms === undefined) throw error
      return known
    }
  }
}

/** Waits until a recording has begun, and stops it when its first attempt fails. @throws {SluiceError} the failure */
async function begun(job: RecordJob): Promise<void> {
  const late = new AbortController()
  try {
    const timeout = delay(BEGIN_TIMEOUT_MS, undefined, { signal: late.signal }).catch(() => {})
    await Promise.race([job.beginning, job.job.begun, timeout])
  } catch (error) {
    job.stop('it could not begin')
    await job.done
    throw job.failure ?? new RecordFailed(error instanceof Error ? error.message : String(error))
  } finally {
    late.abort()
  }
}

/** @throws {InvalidRequest} for text that no database keeps; its row is written later, when no caller could receive the error */
function eventOfInit({ eventId = '', eventName = '', eventDesc = '', eventLevel = 'low' }: EventInit): RecordingEvent {
  for (const text of [eventId, eventName, eventDesc]) assertKept(text)
  return { eventId, eventName, eventDesc, eventLevel }
}
