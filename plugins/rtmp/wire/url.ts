import { MalformedError } from 'sluice/sdk/media'

/** The limit of each text that names a stream, in characters: more than any signed query needs. */
export const MAX_URL_LENGTH = 4096

const PORT = 1935
const TLS_PORT = 443
const MAX_PORT = 65_535

/** The host is a name, an IPv4 address or an IPv6 address in brackets. The text before the last `@` is the user. */
const RTMP_URL = /^(rtmps?):\/\/(?:([^\s/?#]*)@)?(\[[0-9a-f:.]+\]|[^\s/?#@:[\]]+)(?::(\d{1,5}))?\/(.*)$/i
/** A part of a path that begins the name of a recording, whatever follows: `mp4:folder/clip.mp4`. */
const TYPED_PART = /\/[a-z]\w{1,4}:/i
/** The origin of a tcUrl. The schemes of RTMP's tunnelled variants are among them, as their tcUrl reaches the server unchanged. */
const ORIGIN = /^rtmp[a-z]*:\/\/[^\s/?#]+/i
/** The app after the scheme and host of a tcUrl. */
const APP_OF_TC_URL = /^[a-z]+:\/\/[^/?#]*(.*)$/i

/** The stream that a client's `connect` and `publish` or `play` name together. */
export type StreamTarget = {
  /** `app/name`, without query. */
  readonly streamPath: string
  /** The queries of both parts, raw, joined by `&`; without `?`. */
  readonly query: string
  /** The whole address as the client meant it, with the query. */
  readonly url: string
}

/** The texts of `connect` and of `publish` or `play` that name the stream, as the client sent them. */
export type StreamRequest = {
  /** Property `app` of `connect`: `live`, `live/instance`, `live?secret=1`; empty when there is none. */
  readonly app: string
  /** Property `tcUrl` of `connect`, empty when there is none. It counts when `app` is missing, or has lost its query. */
  readonly tcUrl: string
  /** The address that the client connected to, as `rtmp://192.0.2.1:1935`; it counts when tcUrl has no origin. */
  readonly server: string
  /** Argument of `publish` or `play`: `name`, `name?secret=1`, `mp4:name`. */
  readonly name: string
}

/**
 * Puts app and name together to a stream path, and the queries of both to one.
 * @throws {MalformedError} when nothing is left of the path, or a text is too long.
 */
export function parseStreamTarget(request: StreamRequest): StreamTarget {
  for (const text of [request.app, request.tcUrl, request.name]) checkLength(text)
  // srs-bench sends no app.
  const app = splitQuery(request.app || (APP_OF_TC_URL.exec(request.tcUrl)?.[1] ?? ''))
  const name = splitQuery(request.name)
  const appQuery = app.query || splitQuery(request.tcUrl).query
  const streamPath = [app.path, name.path].map(trimSlashes).filter(Boolean).join('/')
  if (streamPath === '') throw new MalformedError('neither app nor stream name')
  const query = [appQuery, name.query].filter(Boolean).join('&')
  const origin = ORIGIN.exec(request.tcUrl)?.[0] ?? request.server
  return { streamPath, query, url: `${origin}/${streamPath}${query && `?${query}`}` }
}

/** The name and password of a client, for servers that require authentication. */
export type RtmpUser = { readonly name: string; readonly password: string }

/** A parsed RTMP URL: the server's address, and the texts that the client sends to it. */
export type RtmpUrl = {
  readonly tls: boolean
  /** The host name or address, without brackets. */
  readonly host: string
  /** Defaults to 1935, with TLS to 443. */
  readonly port: number
  /** The URL's user information, decoded; it is in none of the texts for the server. */
  readonly user?: RtmpUser
  /** The app that `connect` names. */
  readonly app: string
  /** The URL up to the app, with the port where the URL has one. */
  readonly tcUrl: string
  /** The stream's name, with the query, for `publish` or `play`. */
  readonly name: string
}

/**
 * Parses `rtmp[s]://[user:password@]host[:port]/app/name?query`. The name is the last part of the path, so the app may
 * have slashes; a name may begin by a type, `mp4:`, and then have slashes itself. `/app?query/name` is understood too, and
 * `/app/?query`, where the query is the whole name.
 * @throws {MalformedError} when it is malformed. The message does not contain the URL, which may hold secrets.
 */
export function parseRtmpUrl(url: string): RtmpUrl {
  checkLength(url)
  const [, scheme, userText, host, portText, path] = RTMP_URL.exec(url) ?? []
  if (scheme === undefined || host === undefined || path === undefined) {
    throw new MalformedError('not a URL of the form rtmp[s]://host[:port]/app/name')
  }
  const tls = scheme.toLowerCase() === 'rtmps'
  const port = portText === undefined ? (tls ? TLS_PORT : PORT) : Number(portText)
  if (port === 0 || port > MAX_PORT) throw new MalformedError(`port ${port} in an RTMP URL`)
  const { app, name } = splitPath(path)
  if (app === '' || name === '') throw new MalformedError('RTMP URL without app or stream name')
  const authority = portText === undefined ? host : `${host}:${portText}`
  const tcUrl = `${scheme.toLowerCase()}://${authority}/${app}`
  const user = userText ? { user: parseUser(userText) } : {}
  return { tls, host: host.replace(/^\[|\]$/g, ''), port, ...user, app, tcUrl, name }
}

function parseUser(text: string): RtmpUser {
  const colon = text.indexOf(':')
  const [name, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  return { name: decoded(name), password: decoded(password) }
}

/** Decodes percent escapes; a text with other percent signs stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function splitPath(text: string): { app: string; name: string } {
  const { path, query } = splitQuery(text)
  if (path.endsWith('/')) return { app: trimSlashes(path), name: query && `?${query}` }
  const typed = path.search(TYPED_PART)
  // When there is a single part before the query, the name can only stand after the app's query.
  const end = trimSlashes(path).includes('/') ? path.length : text.length
  const slash = typed < 0 ? text.slice(0, end).lastIndexOf('/') : typed
  return { app: trimSlashes(text.slice(0, Math.max(slash, 0))), name: text.slice(slash + 1) }
}

function splitQuery(text: string): { path: string; query: string } {
  const mark = text.indexOf('?')
  return mark < 0 ? { path: text, query: '' } : { path: text.slice(0, mark), query: text.slice(mark + 1) }
}

function trimSlashes(text: string): string {
  return text.replace(/^\/+/, '').replace(/\/+$/, '')
}

function checkLength(text: string): void {
  if (text.length > MAX_URL_LENGTH) throw new MalformedError(`address of ${text.length} characters`)
}
