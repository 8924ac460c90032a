import { StreamUnavailable } from '../errors/stream-errors.ts'
import type { Job } from './job.ts'

/** An entry of a {@link JobTable}: a job, with further properties of its owner. */
export interface TableJob {
  readonly job: Pick<Job, 'done' | 'stop'>
}

/**
 * The jobs of one kind that have not ended, by place, such as a stream path or a folder: one job works at each place, and begins when
 * those before it have ended. A job is removed when it is done. Listeners of failures receive its `Wish`, the purpose of the job.
 */
export class JobTable<Wish, Entry extends TableJob> {
  /** The jobs of each place, the oldest first. */
  readonly #entries = new Map<string, readonly Entry[]>()
  readonly #failureListeners = new Set<(wish: Wish) => void>()
  #isClosed = false

  /** True once it takes no more jobs. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** All jobs, including those that another job follows. */
  get all(): Entry[] {
    return [...this.#entries.values()].flat()
  }

  /** The newest job of each place. */
  get newest(): Entry[] {
    return [...this.#entries.values()].flatMap((entries) => entries.at(-1) ?? [])
  }

  /** Returns the newest job of a place, which may have been stopped already. */
  at(place: string): Entry | undefined {
    return this.#entries.get(place)?.at(-1)
  }

  /**
   * Adds the job that `create` starts.
   * @param create receives the end of the former job at this place, for `after` of `JobInit`
   * @throws {StreamUnavailable} the table is closed
   */
  add(place: string, create: (after: Promise<void> | undefined) => Entry): Entry {
    if (this.#isClosed) throw new StreamUnavailable('the server is stopping')
    const entry = create(this.at(place)?.job.done)
    this.#entries.set(place, [...(this.#entries.get(place) ?? []), entry])
    void entry.job.done.then(() => this.#remove(place, entry))
    return entry
  }

  /** Calls `listener` with the wish each time that a try of its job has failed. @returns a function that stops that */
  onFailure(listener: (wish: Wish) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /** Notifies the listeners that a try has failed. Call it in `failed` of `JobInit`. */
  failed(wish: Wish): void {
    for (const listener of this.#failureListeners) listener(wish)
  }

  /** Stops all jobs and takes no more. */
  close(reason: string): void {
    this.#isClosed = true
    for (const { job } of this.all) job.stop(reason)
  }

  #remove(place: string, entry: Entry): void {
    const others = (this.#entries.get(place) ?? []).filter((other) => other !== entry)
    if (others.length > 0) this.#entries.set(place, others)
    else this.#entries.delete(place)
  }
}
