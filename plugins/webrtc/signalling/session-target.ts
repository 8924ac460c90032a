import type { FastifyRequest } from 'fastify'
import type { SessionInit } from 'sluice/sdk'
import { decodePathPart, requestClient, requestUrl } from 'sluice/sdk/http'

const BEARER = /^Bearer +([^\s]+)$/iu

/**
 * The request for a session, as the gates get it: a bearer token (RFC 9725 4.5) becomes the query's `bearer`, before the client's own
 * query.
 */
export function sessionTarget({ raw }: FastifyRequest, signal: AbortSignal): SessionInit {
  const [path] = splitOnce(raw.url ?? '', '?')
  const [, _action, ...sentPath] = path.split('/')
  const streamPath = sentPath.map(decodePathPart).join('/')
  const [address, sent] = splitOnce(requestUrl(raw), '?')
  const token = BEARER.exec(raw.headers.authorization ?? '')?.[1]
  const bearer = token === undefined ? '' : `bearer=${encodeURIComponent(token)}`
  const query = [bearer, sent].filter(Boolean).join('&')
  const url = query === '' ? address : `${address}?${query}`
  return { streamPath: streamPath.replace(/^\/+|\/+$/gu, ''), url, query, client: requestClient(raw), signal }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
