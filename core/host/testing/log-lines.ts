import { pino, type Logger } from 'pino'

export type LogLine = { readonly level: number; readonly msg: string; readonly plugin?: string; readonly err?: unknown }

/** A logger, and the lines that were logged. */
export function logLines(): { log: Logger; lines: LogLine[]; text: () => string } {
  const lines: LogLine[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { log, lines, text: () => JSON.stringify(lines) }
}
