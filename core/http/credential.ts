import type { IncomingMessage } from 'node:http'
import { parseQuery } from 'sluice/sdk'

const BEARER = /^Bearer +(\S+) *$/iu
/** The query parameter of the token, for clients that can send no header. */
const TOKEN_QUERY = 'token'

/**
 * Returns the token of a request: in `Authorization: Bearer`, or in `Access-Token`, as where `Authorization` has a name and
 * password for HTTP Basic. Browsers can give neither to a WebSocket or an EventSource, so these may have it in the query.
 */
export function credentialOf(request: IncomingMessage): string | undefined {
  const { authorization = '', 'access-token': accessToken } = request.headers
  const bearer = BEARER.exec(authorization)?.[1]
  if (bearer !== undefined) return bearer
  if (typeof accessToken === 'string' && accessToken !== '') return accessToken
  return canSendNoHeader(request) ? tokenInQuery(request) : undefined
}

/** True for a request for a WebSocket or an event stream, which browsers send without headers of a page's own. */
export function canSendNoHeader({ method, headers }: IncomingMessage): boolean {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket'
  return method === 'GET' && (isWebSocket || headers.accept?.includes('text/event-stream') === true)
}

function tokenInQuery({ url = '' }: IncomingMessage): string | undefined {
  const [, query = ''] = url.split('?', 2)
  const { [TOKEN_QUERY]: token = '' } = parseQuery(query)
  return token === '' ? undefined : token
}
