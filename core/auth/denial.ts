import type { Logger } from 'pino'
import type { SessionRequest, StreamDenied } from 'sluice/sdk'

/** Longest reason that is logged. */
const MAX_REASON_LENGTH = 512
/** Most causes of an error that are followed. */
const MAX_CAUSES = 5
/** Shorter values of a query are no secrets, and would tear holes into the text. */
const MIN_SECRET_LENGTH = 6

/**
 * Logs why a session was denied, which its client is not told. Handlers and control servers word their reasons freely, so
 * what the client sent in its query is taken out of them.
 */
export function logDenial(log: Logger, request: SessionRequest, denied: StreamDenied): void {
  const { action, streamPath, client } = request
  const reason = failureText(denied.cause, request)
  log.info({ stream: streamPath, action, ip: client.ip, port: client.port, reason }, 'denied')
}

/** The messages of an error and its causes in one printable line, without values of the request's query. */
export function failureText(error: unknown, { params }: Pick<SessionRequest, 'params'>): string {
  let text = messagesOf(error).join(': ')
  for (const value of Object.values(params)) {
    if (value.length >= MIN_SECRET_LENGTH) text = text.replaceAll(value, '***')
  }
  return text.slice(0, MAX_REASON_LENGTH).replace(/\p{Cc}/gu, ' ')
}

function messagesOf(error: unknown, depth = 1): string[] {
  if (!(error instanceof Error)) return typeof error === 'string' ? [error] : []
  // A connection refused at every address of a name has a code and no message.
  const message = error.message || ('code' in error ? String(error.code) : error.name)
  return depth === MAX_CAUSES ? [message] : [message, ...messagesOf(error.cause, depth + 1)]
}
