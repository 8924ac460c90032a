import { StreamUnavailable } from '../errors/stream-errors.ts'
import type { Job } from './job.ts'

/** An entry of a {@link JobTable}: a job, with whatever else its owner knows of it. */
export interface TableJob {
  readonly job: Pick<Job, 'done' | 'stop'>
}

/**
 * The jobs of one kind that have not ended, by place, such as a stream path or a folder: at each place one works, and begins when
 * those before it have ended. A job is taken out when it is done. A `Wish` says what a job is for, to those who listen to failures.
 */
export class JobTable<Wish, Entry extends TableJob> {
  /** The oldest of a place first. */
  readonly #entries = new Map<string, readonly Entry[]>()
  readonly #failureListeners = new Set<(wish: Wish) => void>()
  #isClosed = false

  /** True once it takes no more. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** All jobs, those included that another one follows. */
  get all(): Entry[] {
    return [...this.#entries.values()].flat()
  }

  /** The newest job of each place. */
  get newest(): Entry[] {
    return [...this.#entries.values()].flatMap((entries) => entries.at(-1) ?? [])
  }

  /** The newest job of a place, which may have been stopped already. */
  at(place: string): Entry | undefined {
    return this.#entries.get(place)?.at(-1)
  }

  /**
   * Adds the job that `create` starts.
   * @param create is given the end of the job before it at this place, for `after` of `JobInit`
   * @throws {StreamUnavailable} it is closed
   */
  add(place: string, create: (after: Promise<void> | undefined) => Entry): Entry {
    if (this.#isClosed) throw new StreamUnavailable('the server is stopping')
    const entry = create(this.at(place)?.job.done)
    this.#entries.set(place, [...(this.#entries.get(place) ?? []), entry])
    void entry.job.done.then(() => this.#remove(place, entry))
    return entry
  }

  /** Calls `listener` with the wish each time that a try of its job has failed. @returns stops that */
  onFailure(listener: (wish: Wish) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /** Tells those who listen that a try has failed: to be called by `failed` of `JobInit`. */
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
