import { LineBuffer } from '../../observe/line-buffer.ts'
import type { RecentLog } from '../../observe/recent-log.ts'
import { readLogLine, type LogFilter, type LogLine } from './log-line.ts'

/** The lines that wait for a client; the oldest are dropped for newer ones. */
const WAITING = { maxLines: 1000, maxLength: 1024 * 1024 }
/** The most lines that a client gets at once. */
const MAX_TAKEN = 100

export type LogWatchInit = LogFilter & {
  /** The number of kept lines that the client gets first. */
  readonly tail: number
}

/** The lines of the log for one client: the newest kept ones, then those that come. `close` is to be called when it has gone. */
export class LogWatch {
  readonly #filter: LogFilter
  #before: readonly LogLine[] | undefined
  // Lines wait as they are, and are read when the client takes them: a line that is logged waits for none of that.
  readonly #waiting = new LineBuffer(WAITING)
  readonly #stopListening: () => void
  /** The lines that were dropped since the latest that was taken. */
  #dropped = 0
  #isClosed = false
  #wake: () => void = () => {}

  constructor(log: RecentLog, { tail, ...filter }: LogWatchInit) {
    this.#filter = filter
    this.#before = keptLines(log, filter, tail)
    this.#stopListening = log.listen((line) => {
      this.#waiting.push(line)
      this.#wake()
    })
  }

  /**
   * Resolves with the next lines: at first with the kept ones, of which there may be none, and then as soon as one has come;
   * undefined when this was closed. One call at a time.
   */
  async next(): Promise<readonly LogLine[] | undefined> {
    const kept = this.#before
    this.#before = undefined
    if (kept !== undefined && !this.#isClosed) return kept
    while (!this.#isClosed) {
      const lines = this.#take()
      if (lines.length > 0) return lines
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    return undefined
  }

  /** Takes the lines that have come. */
  #take(): readonly LogLine[] {
    const taken: LogLine[] = []
    while (taken.length < MAX_TAKEN) {
      const line = this.#waiting.shift()
      if (line === undefined) break
      this.#dropped += this.#waiting.takeDropped()
      const read = readLogLine(line, this.#filter)
      if (read === undefined) continue
      taken.push({ ...read, dropped: this.#dropped })
      this.#dropped = 0
    }
    return taken
  }

  /** Ends the watch. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#waiting.clear()
    this.#stopListening()
    this.#wake()
  }
}

/** The newest of the kept lines that the filter lets through, the oldest first. */
function keptLines(log: RecentLog, filter: LogFilter, count: number): readonly LogLine[] {
  const found: LogLine[] = []
  for (const line of log.newestFirst()) {
    if (found.length >= count) break
    const read = readLogLine(line, filter)
    if (read !== undefined) found.push({ ...read, dropped: 0 })
  }
  return found.toReversed()
}
