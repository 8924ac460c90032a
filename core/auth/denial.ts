import type { Logger } from 'pino'
import type { SessionRequest, StreamDenied } from 'sluice/sdk'
import { withoutQueryValues } from './query-values.ts'

/** The most characters of a reason that are logged. */
const MAX_REASON_LENGTH = 512
/** The most causes of an error that are followed. */
const MAX_CAUSES = 5

/**
 * Logs the reason for a denial, which the client does not get. Handlers and control servers word their reasons freely, so the
 * values of the client's query are taken out of them.
 */
export function logDenial(log: Logger, request: SessionRequest, denied: StreamDenied): void {
  const { action, streamPath, client } = request
  const reason = failureText(denied.cause, request)
  log.info({ stream: streamPath, action, ip: client.ip, port: client.port, reason }, 'denied')
}

/** The messages of an error and its causes in one printable line, without values of the request's query. */
export function failureText(error: unknown, { query }: Pick<SessionRequest, 'query'>): string {
  const text = withoutQueryValues(messagesOf(error).join(': '), query)
  return text.slice(0, MAX_REASON_LENGTH).replace(/\p{Cc}/gu, ' ')
}

function messagesOf(error: unknown, depth = 1): string[] {
  if (!(error instanceof Error)) return typeof error === 'string' ? [error] : []
  // An error for a connection that was refused at every address of a name has a code and no message.
  const message = error.message || ('code' in error ? String(error.code) : error.name)
  return depth === MAX_CAUSES ? [message] : [message, ...messagesOf(error.cause, depth + 1)]
}
