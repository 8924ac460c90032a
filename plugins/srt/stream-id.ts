import { MalformedError } from 'sluice/sdk/media'
import { plainQuery, plainStreamId } from './stream-id-encoding.ts'

/** The most bytes that a stream id has on the wire (libsrt, `SRTO_STREAMID`). */
const MAX_STREAM_ID_BYTES = 512
const MAX_KEYS = 32
const CONTROL = /[\u0000-\u001f\u007f]/u
/**
 * The beginning of stream ids with keys (SRT Access Control Guidelines, General Syntax). `#` is `%23` in an address, which
 * ffmpeg 5 and srt-live-transmit send as it is.
 */
const STANDARD_PREFIX = /^(?:#|%23)!::/u
const SHORT_FORM = /^(?<mode>[a-z]+):(?<resource>.*)$/isu

/** The actions by mode, in the short and the standard form. */
const ACTIONS: Readonly<Record<string, 'publish' | 'play'>> = {
  publish: 'publish',
  subscribe: 'play',
  read: 'play',
  request: 'play',
  play: 'play',
}
const STANDARD_ACTIONS: Readonly<Record<string, 'publish' | 'play'>> = { publish: 'publish', request: 'play' }

/** The request in a caller's stream id. */
export type StreamRequest = {
  readonly action: 'publish' | 'play'
  /** The path as it was written, without its query: to be checked as a stream path. */
  readonly streamPath: string
  /** The query as it was written, without `?`. */
  readonly query: string
}

/** A stream id that is well-formed, but asks for a mode that this server does not support. */
export class UnsupportedMode extends Error {
  override readonly name = 'UnsupportedMode'
}

/**
 * Reads a stream id: `publish:/live/a?secret=…`, `subscribe:/live/a`, with `read`, `request` and `play` as `subscribe`, or
 * `#!::r=live/a,m=publish,u=…,s=…` (SRT Access Control Guidelines). In the latter form, all keys but `r`, `m` and `t` become parameters of
 * the query, by their own names, after those in the query of `r`. It may have been percent-encoded as a whole.
 * @throws {MalformedError} when it has neither form. The message does not contain it, as it may hold a secret.
 * @throws {UnsupportedMode} when it asks for both directions at once, or for files
 */
export function parseStreamId(streamId: string): StreamRequest {
  if (streamId === '') throw new MalformedError('the caller has sent no stream id')
  if (Buffer.byteLength(streamId) > MAX_STREAM_ID_BYTES) throw new MalformedError('the stream id is too long')
  const plain = plainStreamId(streamId)
  if (CONTROL.test(plain)) throw new MalformedError('the stream id has control characters')
  return STANDARD_PREFIX.test(plain) ? parseStandard(plain) : parseShort(plain)
}

function parseShort(streamId: string): StreamRequest {
  const { mode = '', resource = '' } = SHORT_FORM.exec(streamId)?.groups ?? {}
  const name = mode.toLowerCase()
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (action === undefined) {
    throw new MalformedError('the stream id is not of the form publish:/app/name or subscribe:/app/name')
  }
  return { action, ...splitQuery(resource) }
}

function parseStandard(streamId: string): StreamRequest {
  const keys = streamId.replace(STANDARD_PREFIX, '').split(',')
  if (keys.length > MAX_KEYS) throw new MalformedError(`the stream id has more than ${MAX_KEYS} keys`)
  const values = new Map<string, string>()
  for (const key of keys) {
    const equals = key.indexOf('=')
    if (equals <= 0) throw new MalformedError('the stream id has a key without a value')
    const name = key.slice(0, equals)
    if (values.has(name)) throw new MalformedError('the stream id has a key twice')
    values.set(name, key.slice(equals + 1))
  }
  const { r: resource, m: mode = 'request', t: type = 'stream', ...parameters } = Object.fromEntries(values)
  if (resource === undefined) throw new MalformedError('the stream id names no resource (r)')
  if (mode === 'bidirectional') throw new UnsupportedMode('both directions at once (m=bidirectional)')
  if (type !== 'stream') throw new UnsupportedMode('something else than a stream (t)')
  const action = Object.hasOwn(STANDARD_ACTIONS, mode) ? STANDARD_ACTIONS[mode] : undefined
  if (action === undefined) throw new MalformedError('the stream id has another mode (m) than publish and request')
  const { streamPath, query } = splitQuery(resource)
  const more = Object.entries(parameters).map((parameter) => parameter.map(encodeURIComponent).join('='))
  return { action, streamPath, query: [query, ...more].filter((part) => part !== '').join('&') }
}

function splitQuery(resource: string): Pick<StreamRequest, 'streamPath' | 'query'> {
  const mark = resource.indexOf('?')
  if (mark < 0) return { streamPath: resource, query: '' }
  return { streamPath: resource.slice(0, mark), query: plainQuery(resource.slice(mark + 1)) }
}

/** The address of a request for the gates, in the form that an encoder would open. */
export function addressOf(host: string, port: number, streamId: string): string {
  return `srt://${host.includes(':') ? `[${host}]` : host}:${port}?streamid=${plainStreamId(streamId).replaceAll('#', '%23')}`
}
