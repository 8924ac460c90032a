import { pino, stdSerializers, stdTimeFunctions, type DestinationStream, type LevelWithSilent, type Logger } from 'pino'
import { isatty } from 'node:tty'
import { prettyFactory } from 'pino-pretty'
import { withSourcePlaces } from '../build/source-places.ts'
import { standardOutputs } from './output/standard-streams.ts'
import { terminalLine } from './terminal-line.ts'

/** Keys whose values are masked in every line, at the top of the logged object and down to two levels below. */
const SECRET_KEYS = ['secret', 'password', 'passwd', 'token', 'authorization', 'cookie', 'dsn', 'key', 'accesskey']
const SECRET_PATHS = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`])

export type LoggerOptions = {
  readonly level: LevelWithSilent
  /** Receives one JSON line per call. Unless given, lines go to stdout: readable ones on a terminal, else JSON. */
  readonly destination?: DestinationStream
  /** Gets each line, too, as JSON. */
  readonly recent?: DestinationStream
}

/**
 * The server's logger. Its children carry the plugin's name and may have a level of their own.
 *
 * URLs must go through `withoutQuery` before they are logged, as queries and user names may contain secrets.
 */
export function createLogger({ level, destination = standardOutput(), recent }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '***' },
      serializers: { err: serializeError, req: serializeRequest },
    },
    recent === undefined ? destination : bothOf(destination, recent),
  )
}

function bothOf(one: DestinationStream, other: DestinationStream): DestinationStream {
  return {
    write(line) {
      one.write(line)
      other.write(line)
    },
  }
}

/** A plugin's own logger, with the level of its section. */
export function pluginLogger(log: Logger, plugin: string, level: LevelWithSilent): Logger {
  return log.child({ plugin }, { level })
}

/** A URL or path in the form for logs: without query, fragment, user and password. */
export function withoutQuery(url: string): string {
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  return path.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/@]*@/i, '$1//')
}

/** The properties of a terminal that stdout is connected to. */
export type Terminal = {
  /** False for a terminal without colors, and with NO_COLOR. */
  readonly colors: boolean
}

/** The terminal of stdout; undefined when stdout is none. */
export function stdoutTerminal(): Terminal | undefined {
  return isatty(1) ? { colors: process.stdout.hasColors() } : undefined
}

/** Stdout for a logger. A thread receives the terminal from the main thread, as it can't detect it itself. */
export function standardOutput(terminal = stdoutTerminal()): DestinationStream {
  const { stdout } = standardOutputs()
  if (terminal === undefined) return stdout
  const readable = prettyFactory({
    colorize: terminal.colors,
    translateTime: 'SYS:HH:MM:ss.l',
    hideObject: true,
    messageFormat: terminalLine,
  })
  return { write: (line) => stdout.write(readable(line)) }
}

/**
 * Serializes an error with its causes nested, and without `rawPacket`, which is a rejected HTTP request with its
 * credentials.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { raw: _raw, rawPacket: _packet, ...fields } = stdSerializers.errWithCause(error)
  return namingSources(fields)
}

/** A serialized error and its causes, with the lines of the sources in their stacks. */
function namingSources(fields: object): object {
  const { stack, cause } = fields as { readonly stack?: unknown; readonly cause?: unknown }
  return {
    ...fields,
    ...(typeof stack === 'string' && { stack: withSourcePlaces(stack) }),
    ...(typeof cause === 'object' && cause !== null && { cause: namingSources(cause) }),
  }
}

type LoggedRequest = { readonly method?: string; readonly url?: string; readonly ip?: string }

function serializeRequest(request: LoggedRequest): unknown {
  return { method: request.method, path: withoutQuery(request.url ?? ''), ip: request.ip }
}
