import { MalformedError } from 'sluice/sdk/media'

/** More than any signed query needs. */
export const MAX_URL_LENGTH = 4096

const PORT = 554
const TLS_PORT = 322
const MAX_PORT = 65_535

const SCHEME = /^(rtsps?):\/\//i
/** A host: a name, an IPv4 address, or an IPv6 address in brackets. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i
const ORIGIN = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]*)/i
/** The last part of a track's URL: this server's, and those of ffmpeg and GStreamer when they publish. */
const TRACK = /\/(?:trackid|streamid|stream)=(\d{1,4})\/?$/i
const CONTROL = /[\u0000-\u001f\u007f]/u

/** A parsed RTSP URL: the server's address, the user, and the URI of requests. */
export type RtspUrl = {
  readonly tls: boolean
  /** The host name or address, without brackets. */
  readonly host: string
  /** Defaults to 554, with TLS to 322. */
  readonly port: number
  /** The decoded name; undefined when the URL has no user information. */
  readonly username: string | undefined
  /** The decoded password; undefined when the URL has none. */
  readonly password: string | undefined
  /** The URL for requests: with path and query, without user information. */
  readonly uri: string
}

/**
 * Parses `rtsp[s]://[user[:password]@]host[:port][/path][?query]`. The user information ends at the last `@`
 * before the path, and needs not be encoded.
 * @throws {MalformedError} when it is malformed. The message does not contain the URL, which may hold a secret.
 */
export function parseRtspUrl(url: string): RtspUrl {
  checkUrl(url)
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined) throw new MalformedError('not a URL of the form rtsp[s]://host[:port]/path')
  const rest = url.slice(scheme.length + '://'.length)
  const authorityEnd = indexOrEnd(rest, /[/?#]/u)
  const authority = rest.slice(0, authorityEnd)
  const at = authority.lastIndexOf('@')
  const [, host, portText] = AUTHORITY.exec(authority.slice(at + 1)) ?? []
  if (host === undefined) throw new MalformedError('RTSP URL without a host, or with a broken one')
  const tls = scheme === 'rtsps'
  const port = portText === undefined ? (tls ? TLS_PORT : PORT) : Number(portText)
  if (port === 0 || port > MAX_PORT) throw new MalformedError(`port ${port} in an RTSP URL`)
  const path = rest.slice(authorityEnd).replace(/#.*$/su, '')
  const uri = `${scheme}://${authority.slice(at + 1)}${encodeForLine(path)}`
  return { tls, host: host.replace(/^\[|\]$/gu, ''), port, ...parseUser(authority.slice(0, Math.max(at, 0))), uri }
}

/**
 * The URL of a track, or of the whole, from a control attribute of SDP (RFC 2326 C.1.1) and its base: Content-Base, Content-Location or the
 * URL of the request. A relative one is put after the base with all its query, as the clients do with which cameras are tested (ffmpeg,
 * live555), unlike RFC 3986. One that begins with the path of the base is relative to the root.
 */
export function controlUrl(base: string, control: string): string {
  if (control === '' || control === '*') return base
  if (ORIGIN.test(control)) return control
  const [origin = ''] = ORIGIN.exec(base) ?? []
  const path = base.slice(origin.length).replace(/\/?(?:\?.*)?$/su, '')
  if (path !== '' && control.startsWith(`${path}/`)) return `${origin}${control}`
  return `${base.replace(/\/$/u, '')}/${control.replace(/^\//u, '')}`
}

/** The stream, and the track if any, that a request names. */
export type StreamTarget = {
  /** `app/name`, decoded, as the client sent it: to be checked with `checkStreamPath`. */
  readonly streamPath: string
  /** Raw, without `?`. */
  readonly query: string
  /** The number of the track, from 0; undefined when the request is for the whole stream. */
  readonly trackIndex: number | undefined
  /** The whole address of the stream with its query, without user information and track. */
  readonly url: string
}

/**
 * Takes the URL of a request apart. The track, `trackID=N` and the like, may stand at the end of the path or, as
 * clients put it that append to the whole URL, at the end of the query.
 * @param server the address that the client connected to, as `rtsp://192.0.2.1:554`, which counts when the request has only a path
 * @throws {MalformedError} when nothing is left of the path, its percent-encoding is broken, or it is too long
 */
export function parseStreamTarget(uri: string, server: string): StreamTarget {
  checkUrl(uri)
  const [origin = '', scheme = '', authority = ''] = ORIGIN.exec(uri) ?? []
  const rest = uri.slice(origin.length)
  const mark = indexOrEnd(rest, /\?/u)
  const fromQuery = splitTrack(rest.slice(mark + 1))
  const fromPath =
    fromQuery.trackIndex === undefined ? splitTrack(rest.slice(0, mark)) : splitSlash(rest.slice(0, mark))
  const path = fromPath.text.replace(/^\/+/u, '')
  if (path === '') throw new MalformedError('RTSP URL that names no stream')
  const query = fromQuery.text
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return {
    streamPath: decodePath(path),
    query,
    trackIndex: fromQuery.trackIndex ?? fromPath.trackIndex,
    url: `${host === '' ? server : `${scheme}${host}`}/${path}${query && `?${query}`}`,
  }
}

/**
 * The URL of a track of the stream at `url`, for SDP: absolute, with the query after the track. From a relative control, some clients make
 * a URL without the query (RFC 3986), others one with the track after the query.
 */
export function trackUrl(url: string, trackIndex: number): string {
  const mark = indexOrEnd(url, /\?/u)
  return `${url.slice(0, mark)}/trackID=${trackIndex}${url.slice(mark)}`
}

type Split = { readonly text: string; readonly trackIndex: number | undefined }

function splitTrack(text: string): Split {
  const match = TRACK.exec(text)
  if (match === null) return splitSlash(text)
  return { text: splitSlash(text.slice(0, match.index)).text, trackIndex: Number(match[1]) }
}

/** The slash of a Content-Base comes back at the end of the URL for the whole stream. */
function splitSlash(text: string): Split {
  return { text: text.endsWith('/') ? text.slice(0, -1) : text, trackIndex: undefined }
}

function parseUser(text: string): Pick<RtspUrl, 'username' | 'password'> {
  if (text === '') return { username: undefined, password: undefined }
  const colon = text.indexOf(':')
  if (colon < 0) return { username: decodeLeniently(text), password: undefined }
  return { username: decodeLeniently(text.slice(0, colon)), password: decodeLeniently(text.slice(colon + 1)) }
}

/** A password that has a percent sign in it and is not encoded is taken as it is. */
function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new MalformedError('broken percent-encoding in the path of an RTSP URL')
  }
}

/** Encodes the characters of a path that a request line cannot contain. */
function encodeForLine(path: string): string {
  return path.toWellFormed().replaceAll(/[^\u0021-\u007e]/gu, encodeURIComponent)
}

function indexOrEnd(text: string, pattern: RegExp): number {
  const index = text.search(pattern)
  return index < 0 ? text.length : index
}

function checkUrl(url: string): void {
  if (url.length > MAX_URL_LENGTH) throw new MalformedError(`RTSP URL of ${url.length} characters`)
  if (CONTROL.test(url)) throw new MalformedError('control character in an RTSP URL')
}
