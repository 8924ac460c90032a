import { LineBuffer } from '../../observe/line-buffer.ts'
import type { RecentLog } from '../../observe/recent-log.ts'
import { readLogLine, type LogFilter, type LogLine } from './log-line.ts'

/** The lines that wait for a client; the oldest are dropped for newer ones. */
const WAITING = { maxLines: 1000, maxLength: 1024 * 1024 }

export type LogWatchInit = LogFilter & {
  /** The number of kept lines that the client gets first. */
  readonly tail: number
}

/** The lines of the log for one client: the newest kept ones, then each new one. `close` is to be called when it has gone. */
export class LogWatch {
  readonly #filter: LogFilter
  readonly #before: Omit<LogLine, 'dropped'>[]
  // Lines wait as they are, and are read when the client takes them: a line that is logged waits for none of that.
  readonly #waiting = new LineBuffer(WAITING)
  readonly #stopListening: () => void
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

  /** Resolves with the next line as soon as there is one; undefined when this was closed. One call at a time. */
  async next(): Promise<LogLine | undefined> {
    const kept = this.#before.shift()
    if (kept !== undefined) return { ...kept, dropped: 0 }
    let dropped = 0
    while (!this.#isClosed) {
      const line = this.#waiting.shift()
      if (line === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve))
        continue
      }
      dropped += this.#waiting.takeDropped()
      const read = readLogLine(line, this.#filter)
      if (read !== undefined) return { ...read, dropped }
    }
    return undefined
  }

  /** Ends the watch. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#before.length = 0
    this.#waiting.clear()
    this.#stopListening()
    this.#wake()
  }
}

/** The newest of the kept lines that the filter lets through, the oldest first. */
function keptLines(log: RecentLog, filter: LogFilter, count: number): Omit<LogLine, 'dropped'>[] {
  const found = []
  for (const line of log.newestFirst()) {
    if (found.length >= count) break
    const read = readLogLine(line, filter)
    if (read !== undefined) found.push(read)
  }
  return found.toReversed()
}
