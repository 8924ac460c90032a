import type { ActiveRecording, RecordingInit, Recordings } from 'sluice/sdk'

/** Recordings that a test starts, ends and refuses. */
export class ScriptedRecordings implements Pick<Recordings, 'start' | 'stopTask' | 'active'> {
  /** The recordings that were asked for, admitted or not, in order. */
  readonly inits: RecordingInit[] = []
  /** The error with which `start` rejects. */
  refusal: Error | undefined
  #active: readonly ActiveRecording[] = []
  #nextId = 1
  #held: { readonly released: Promise<void>; readonly failure: Error | undefined } | undefined

  async start(init: RecordingInit): Promise<ActiveRecording> {
    this.inits.push(init)
    if (this.refusal !== undefined) throw this.refusal
    const held = this.#held
    this.#held = undefined
    if (held?.failure === undefined) {
      const recording = this.add(init)
      await held?.released
      return recording
    }
    await held.released
    throw held.failure
  }

  async stopTask(taskId: number): Promise<ActiveRecording | undefined> {
    const stopped = this.#active.find((recording) => recording.taskId === taskId)
    this.end(taskId)
    return stopped
  }

  active(): ActiveRecording[] {
    return [...this.#active]
  }

  /** Adds a recording that was started elsewhere. */
  add({ type, streamPath, filePath = '.', fragmentMs = 0 }: RecordingInit): ActiveRecording {
    const recording: ActiveRecording = {
      taskId: this.#nextId,
      formerTaskIds: [],
      type,
      streamPath,
      filePath,
      fragmentMs,
      mode: 'auto',
      startMs: 0,
      append: false,
      file: undefined,
    }
    this.#nextId += 1
    this.#active = [...this.#active, recording]
    return recording
  }

  end(taskId: number): void {
    this.#active = this.#active.filter((recording) => recording.taskId !== taskId)
  }

  /** Holds the next `start` until the returned function is called, which lets it succeed or fail. */
  hold(failure?: Error): () => void {
    const { promise: released, resolve } = Promise.withResolvers<void>()
    this.#held = { released, failure }
    return resolve
  }
}
