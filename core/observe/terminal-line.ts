/** A record of the log, as pino has written it. */
export type LogRecord = Readonly<Record<string, unknown>>

/** Fields that a line shows in another form, or not at all. */
const SHOWN_ELSEWHERE = new Set(['level', 'time', 'msg', 'plugin', 'err', 'stack'])

/**
 * A record as a line for a terminal: the plugin, the message, and the other fields as `name=value`. A logged error follows
 * with its stack and its causes, indented; so does a stack alone.
 */
export function terminalLine(record: LogRecord): string {
  const { plugin, msg, err, stack } = record
  const fields = Object.entries(record).filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && value !== undefined)
  const line = [
    typeof plugin === 'string' ? `${plugin}:` : '',
    typeof msg === 'string' ? msg : '',
    ...fields.map(([name, value]) => `${name}=${fieldText(value)}`),
  ]
  const below = typeof stack === 'string' ? indented(stack) : stackOf(err)
  return line.filter((part) => part !== '').join(' ') + below
}

function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/u.test(value) ? value : JSON.stringify(value)
}

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return ''
  const { stack, message, cause } = err as Readonly<Record<string, unknown>>
  const text = typeof stack === 'string' ? stack : String(message)
  const causes = cause === undefined ? '' : `\ncaused by:${stackOf(cause)}`
  return indented(text + causes)
}

function indented(text: string): string {
  return `\n${text}`.replaceAll('\n', '\n    ')
}
