import { Type, type Static } from 'sluice/sdk'

/** The levels of lines, the lowest first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const LogLevelSchema = Type.Union(LOG_LEVELS.map((level) => Type.Literal(level)))

/** A line of the log, as clients get it. */
export const LogLine = Type.Object({
  time: Type.String({ format: 'date-time' }),
  level: Type.String(),
  msg: Type.String(),
  plugin: Type.String({ description: 'Empty where the server itself says it' }),
  rest: Type.Record(Type.String(), Type.Unknown(), { description: 'All other fields of the line' }),
  dropped: Type.Integer({ description: 'The number of lines before it that the client was too slow for' }),
})
export type LogLine = Static<typeof LogLine>

/** The lines that a client wants. */
export type LogFilter = {
  /** The lowest level. */
  readonly level?: LogLevel
  readonly plugin?: string
  /** A text that the line contains, in its message or any other field; upper and lower case are alike. */
  readonly search?: string
}

/** Reads a line of the log as JSON; undefined when the filter leaves it out. */
export function readLogLine(line: string, filter: LogFilter): Omit<LogLine, 'dropped'> | undefined {
  if (!contains(line, filter.search ?? '')) return undefined
  const { time, level, msg, plugin = '', ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
  if (filter.plugin !== undefined && plugin !== filter.plugin) return undefined
  if (filter.level !== undefined && rankOf(level) < rankOf(filter.level)) return undefined
  return { time: text(time), level: text(level), msg: text(msg), plugin: text(plugin), rest }
}

/** Compares with the JSON of the text, as the line is JSON. */
function contains(line: string, search: string): boolean {
  return search === '' || line.toLowerCase().includes(JSON.stringify(search).slice(1, -1).toLowerCase())
}

function rankOf(level: unknown): number {
  return LOG_LEVELS.indexOf(level as LogLevel)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
