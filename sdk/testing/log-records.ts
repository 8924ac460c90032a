import { pino, type Logger } from 'pino'

/** One line of the log. */
export type LogRecord = {
  /** pino's number: trace 10, debug 20, info 30, warn 40, error 50. */
  readonly level: number
  readonly msg: string
  readonly [key: string]: unknown
}

const WARN = 40

/** A logger that keeps its records. */
export class LogRecords {
  readonly records: LogRecord[] = []
  readonly logger: Logger

  constructor(plugin: string) {
    const write = (line: string) => void this.records.push(JSON.parse(line) as LogRecord)
    this.logger = pino({ level: 'trace', base: { plugin } }, { write })
  }

  /** Warnings and errors: a test of the good case expects none. */
  get problems(): LogRecord[] {
    return this.records.filter((record) => record.level >= WARN)
  }
}
