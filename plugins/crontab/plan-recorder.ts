import { SluiceError, type PluginContext, type RecordingInit, type Recordings } from 'sluice/sdk'
import { isOn, type HourOfWeek, type WeekPlan } from './plan-calendar.ts'

/** The time between looks at the plans: slots begin and end at full minutes, and clocks may be set. */
const LOOK_MS = 60_000
/** The time after the end of a recording before the next look, so that one that always ends at once does no harm. */
const RECOVERY_MS = 1000

/** A stream that is recorded while its plan is on. */
export type PlannedStream = {
  readonly type: string
  readonly streamPath: string
  readonly filePath: string
  readonly fragmentMs: number
  readonly plan: WeekPlan
}

type PlannedKey = Pick<PlannedStream, 'type' | 'streamPath'>

/** A recording that a plan has started: plain data, which outlives the generation that started it. */
export type StartedRecording = Pick<PlannedStream, 'filePath' | 'fragmentMs'> & { readonly taskId: number }

export type PlanRecorderOptions = {
  readonly log: PluginContext<unknown>['log']
  /** Returns the recordings service; undefined while the server records nothing. */
  readonly recordings: () => Pick<Recordings, 'start' | 'stopTask' | 'active'> | undefined
  readonly isLive: (streamPath: string) => boolean
  readonly now: () => number
  readonly hourOfWeek: HourOfWeek
  /** Returns a function that cancels the timeout. */
  readonly setTimeout: (run: () => void, delayMs: number) => () => void
  /** The recordings that plans have started and not stopped, by key; those of the former generation, too. */
  readonly started: Map<string, StartedRecording>
}

/**
 * Records streams while their plans are on: live streams, from the beginning of a slot or of the stream, until the slot ends. Recordings
 * that others have started are left alone.
 */
export class PlanRecorder {
  readonly #options: PlanRecorderOptions
  /** The planned streams by stream path and, within it, by key; undefined until they are known, as nothing may be stopped before. */
  #streams: ReadonlyMap<string, ReadonlyMap<string, PlannedStream>> | undefined
  /** The keys of recordings that are being started or stopped, with true to look again afterwards. */
  readonly #busy = new Map<string, boolean>()
  /** The logged problems of streams that can't be recorded, by key. */
  readonly #problems = new Map<string, string>()
  #cancelLook: (() => void) | undefined
  #closed = false

  constructor(options: PlanRecorderOptions) {
    this.#options = options
  }

  /** Begins to look at the plans at each full minute. */
  start(): void {
    this.#look()
  }

  /** Replaces the planned streams. */
  plan(planned: readonly PlannedStream[]): void {
    const streams = new Map<string, Map<string, PlannedStream>>()
    for (const stream of planned) {
      const ofPath = streams.get(stream.streamPath) ?? new Map<string, PlannedStream>()
      streams.set(stream.streamPath, ofPath.set(keyOf(stream), stream))
    }
    this.#streams = streams
    this.#settleAll()
  }

  /** Called when a stream begins, or a recording of it has ended. */
  look(streamPath: string): void {
    for (const key of this.#streams?.get(streamPath)?.keys() ?? []) this.#settle(key)
  }

  /** Looks at a stream a little later; at one that can't be recorded, with the next full minute. */
  lookLater(streamPath: string): void {
    if (this.#streams?.has(streamPath) !== true) return
    this.#options.setTimeout(() => {
      const keys = this.#streams?.get(streamPath)?.keys() ?? []
      for (const key of keys) if (!this.#problems.has(key)) this.#settle(key)
    }, RECOVERY_MS)
  }

  /**
   * Returns a function that returns true for streams that their plan records now. A recording may also wait for a stream that
   * has ended: then it returns false.
   */
  recorded(): (stream: PlannedKey) => boolean {
    const active = this.#activeIds()
    const { isLive } = this.#options
    return (stream) => isLive(stream.streamPath) && this.#runningOf(keyOf(stream), active) !== undefined
  }

  /** Stops looking; recordings go on. */
  close(): void {
    this.#closed = true
    this.#cancelLook?.()
  }

  #look(): void {
    if (this.#closed) return
    const { now, setTimeout } = this.#options
    this.#settleAll()
    this.#cancelLook = setTimeout(() => this.#look(), LOOK_MS - (now() % LOOK_MS))
  }

  #settleAll(): void {
    const active = this.#activeIds()
    for (const key of this.#options.started.keys()) this.#settle(key, active)
    for (const ofPath of this.#streams?.values() ?? []) for (const key of ofPath.keys()) this.#settle(key, active)
  }

  /** Starts or stops the recording, if the plan requires it. */
  #settle(key: string, active = this.#activeIds()): void {
    const recordings = this.#options.recordings()
    if (this.#closed || this.#streams === undefined || recordings === undefined) return
    if (this.#busy.has(key)) return void this.#busy.set(key, true)
    const wanted = this.#wantedOf(key)
    const running = this.#runningOf(key, active)
    const isRight = wanted === undefined ? running === undefined : running !== undefined && isAsWanted(running, wanted)
    if (isRight) return
    if (running !== undefined) void this.#act(key, () => this.#stop(key, running, recordings))
    else if (wanted !== undefined && this.#options.isLive(wanted.streamPath)) {
      void this.#act(key, () => this.#begin(key, wanted, recordings))
    }
  }

  /** @param action resolves with true to look again at once */
  async #act(key: string, action: () => Promise<boolean>): Promise<void> {
    this.#busy.set(key, false)
    let looksAgain = false
    try {
      looksAgain = await action()
    } catch (err) {
      this.#options.log.error({ err, stream: streamPathOf(key) }, 'the recording of a plan could not be stopped')
    }
    const isAsked = this.#busy.get(key) === true
    this.#busy.delete(key)
    if (looksAgain || isAsked) this.#settle(key)
  }

  async #begin(key: string, wanted: PlannedStream, recordings: Pick<Recordings, 'start'>): Promise<boolean> {
    const { streamPath, type, filePath, fragmentMs } = wanted
    const { log, started } = this.#options
    try {
      const { taskId } = await recordings.start(initOf(wanted))
      started.set(key, { taskId, filePath, fragmentMs })
      this.#problems.delete(key)
      log.info({ stream: streamPath, recording: type }, 'the plan records the stream')
      // A recording that has ended at once is not started again at once.
      return this.#wantedOf(key) !== wanted
    } catch (error) {
      // Another recording of the stream runs, and the plan waits for its end; or the stream has ended meanwhile.
      if (error instanceof SluiceError && (error.statusCode === 409 || error.statusCode === 404)) return false
      const problem = error instanceof Error ? error.message : String(error)
      if (this.#problems.get(key) !== problem) {
        log.warn({ stream: streamPath, recording: type, reason: problem }, 'the plan cannot record the stream')
      }
      this.#problems.set(key, problem)
      return false
    }
  }

  async #stop(key: string, { taskId }: StartedRecording, recordings: Pick<Recordings, 'stopTask'>): Promise<boolean> {
    const { log, started } = this.#options
    const stopped = await recordings.stopTask(taskId)
    started.delete(key)
    if (stopped !== undefined) {
      log.info({ stream: stopped.streamPath, recording: stopped.type }, 'the plan no longer records the stream')
    }
    return true
  }

  /** The stream to be recorded now under a key; undefined for none. */
  #wantedOf(key: string): PlannedStream | undefined {
    const { now, hourOfWeek } = this.#options
    const planned = this.#streams?.get(streamPathOf(key))?.get(key)
    return planned !== undefined && isOn(planned.plan, now(), hourOfWeek) ? planned : undefined
  }

  /** The recording that the plan has started under a key, while it goes on. */
  #runningOf(key: string, active: ReadonlySet<number>): StartedRecording | undefined {
    const { started } = this.#options
    const known = started.get(key)
    if (known === undefined || active.has(known.taskId)) return known
    started.delete(key)
    return undefined
  }

  #activeIds(): ReadonlySet<number> {
    return new Set(
      this.#options
        .recordings()
        ?.active()
        .flatMap(({ taskId, formerTaskIds }) => [...formerTaskIds, taskId]),
    )
  }
}

function initOf({ type, streamPath, filePath, fragmentMs }: PlannedStream): RecordingInit {
  return { type, streamPath, fragmentMs, ...(filePath !== '' && { filePath }) }
}

function isAsWanted(running: StartedRecording, wanted: PlannedStream): boolean {
  return running.filePath === wanted.filePath && running.fragmentMs === wanted.fragmentMs
}

function keyOf({ type, streamPath }: PlannedKey): string {
  // A line feed separates the parts, as no path contains one.
  return `${streamPath}\n${type}`
}

function streamPathOf(key: string): string {
  return key.slice(0, key.indexOf('\n'))
}
