import { LineBuffer } from './line-buffer.ts'

/** The lines that are kept for whoever looks at the log later: some minutes of a busy server, hours of a quiet one. */
const LIMITS = { maxLines: 2000, maxLength: 1024 * 1024 }

/** The newest lines of the log, as JSON, and the listeners to those that come. */
export class RecentLog {
  readonly #lines = new LineBuffer(LIMITS)
  readonly #listeners = new Set<(line: string) => void>()

  /** Adds a line; called for each line of the log, so it does no more than keep it and pass it on. */
  write(line: string): void {
    this.#lines.push(line)
    for (const listener of this.#listeners) listener(line)
  }

  /** The kept lines from the newest to the oldest. */
  newestFirst(): Iterable<string> {
    return this.#lines.newestFirst()
  }

  /**
   * Calls `listener` for each line that comes. It must be quick, and log nothing.
   * @returns a function that ends it
   */
  listen(listener: (line: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
