import { setTimeout as delay } from 'node:timers/promises'
import { InvalidRequest, StreamUnavailable } from 'sluice/sdk'
import { PICTURE_MODE } from '../album/album.ts'
import { everyInterval } from '../live/picture-pace.ts'
import { StreamPictures, type PictureParts } from '../live/stream-pictures.ts'
import { RecordingPictures } from './recording-pictures.ts'

/** The folder of batches' pictures. */
const FOLDER = 'snap'
/** The most batches that run at a time. */
const MAX_BATCHES = 4
/** The longest time of a live batch, from now to its end. */
const MAX_LIVE_MS = 24 * 60 * 60 * 1000

/** The pictures that a batch takes; times are milliseconds since the Unix epoch. */
export type BatchInit = {
  readonly streamPath: string
  readonly startMs: number | undefined
  readonly endMs: number
  /** The time between pictures; 0 for all keyframes. */
  readonly intervalMs: number
}

type Run = {
  readonly kind: string
  readonly streamPath: string
  readonly isRecorded: boolean
  readonly pictures: { readonly progress: Readonly<Record<string, string>>; readonly taken: number }
  readonly run: (signal: AbortSignal) => Promise<void>
}

type RunningBatch = Pick<Run, 'isRecorded' | 'streamPath' | 'pictures'> & {
  /** The id of its task, which is known once it has been started. */
  readonly taskId: () => number
}

/** Runs that take many pictures, as tasks that operators see and can stop. */
export class Batches {
  readonly #parts: PictureParts
  readonly #running = new Set<RunningBatch>()

  constructor(parts: PictureParts) {
    this.#parts = parts
  }

  /**
   * Begins to take pictures of a live stream, from one time to another.
   * @throws {InvalidRequest} when the time is over, or too far away
   * @throws {StreamUnavailable} when too many batches run
   */
  startLive({ streamPath, startMs, endMs, intervalMs }: BatchInit): void {
    const nowMs = Date.now()
    if (endMs <= nowMs) {
      throw new InvalidRequest('end must be after now; of a time that is over, ask /snap/batchplayback/ for pictures')
    }
    if (endMs > nowMs + MAX_LIVE_MS) throw new InvalidRequest('end must be within 24 hours')
    const pictures = new StreamPictures(this.#parts, {
      streamPath,
      folder: FOLDER,
      mode: PICTURE_MODE.batch,
      isPassive: false,
      pace: everyInterval(intervalMs),
    })
    this.#start({
      kind: 'pictures of a stream',
      isRecorded: false,
      streamPath,
      pictures,
      async run(signal) {
        await delay(Math.max(0, (startMs ?? 0) - Date.now()), undefined, { signal })
        const over = AbortSignal.timeout(Math.max(1, endMs - Date.now()))
        await untilOver(pictures.run(AbortSignal.any([signal, over])), over)
      },
    })
  }

  /**
   * Begins to take pictures of a stream's recordings.
   * @throws {InvalidRequest} when there is no start
   * @throws {StreamNotFound} when there are no recordings in this time
   * @throws {StreamUnavailable} when too many batches run, or the server records nothing
   */
  async startRecorded({ streamPath, startMs, endMs, intervalMs }: BatchInit): Promise<void> {
    if (startMs === undefined) throw new InvalidRequest('start must be given')
    const init = { streamPath, startMs, endMs, intervalMs, folder: FOLDER }
    const pictures = await RecordingPictures.open(this.#parts, init)
    this.#start({
      kind: 'pictures of recordings',
      isRecorded: true,
      streamPath,
      pictures,
      run: (signal) => pictures.run(signal),
    })
  }

  /** The batches that run. */
  list() {
    return [...this.#running].map(({ isRecorded, streamPath, pictures, taskId }) => {
      return { id: taskId(), streamPath, isRecorded, taken: pictures.taken }
    })
  }

  #start({ kind, streamPath, isRecorded, pictures, run }: Run): void {
    if (this.#running.size >= MAX_BATCHES) {
      throw new StreamUnavailable(`no more than ${MAX_BATCHES} batches run at a time; stop one, or wait for its end`)
    }
    const { log, tasks } = this.#parts.ctx
    const batch = { isRecorded, streamPath, pictures, taskId: () => task.id }
    const task = tasks.start({
      owner: streamPath,
      description: () => ({ kind, ...pictures.progress }),
      // The batch runs again when an operator restarts it.
      run: async (signal) => {
        this.#running.add(batch)
        try {
          await run(signal)
        } finally {
          this.#running.delete(batch)
          log.info({ stream: streamPath, ...pictures.progress }, `${kind}: done`)
        }
      },
    })
  }
}

/** Resolves when the work is done or its time is over. */
async function untilOver(work: Promise<void>, over: AbortSignal): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!over.aborted) throw error
  }
}
