import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { MalformedError } from 'sluice/sdk/media'

/** The scheme of addresses that are pulled from and pushed to. */
export const SCHEMES = ['srt']

const MAX_URL_LENGTH = 4096
const MAX_PORT = 65_535
const MAX_LATENCY_MS = 65_535
const MAX_STREAM_ID_BYTES = 512
const MIN_PASSPHRASE_BYTES = 10
const MAX_PASSPHRASE_BYTES = 80
const DEFAULT_KEY_BYTES = 16
const KEY_BYTES = [16, 24, 32] as const

/** The parameters that are read here, and those of libsrt, ffmpeg, GStreamer and srt-live-transmit that have no effect here. */
const OWN = new Set([
  'streamid',
  'passphrase',
  'pbkeylen',
  'latency',
  'mode',
  'maxbw',
  'localport',
  'transtype',
  'messageapi',
  'payload_size',
  'payloadsize',
  'pkt_size',
  'conntimeo',
  'connect_timeout',
  'timeout',
  'linger',
  'tlpktdrop',
  'nakreport',
  'tsbpd',
  'snddropdelay',
  'sndbuf',
  'rcvbuf',
  'fc',
  'mss',
  'lossmaxttl',
  'inputbw',
  'oheadbw',
  'peerlatency',
  'rcvlatency',
  'enforced_encryption',
  'enforcedencryption',
  'adapter',
])

/** A parsed SRT address of a pull or push. */
export type SrtTarget = {
  /** A name, of ASCII, or an address, without brackets. */
  readonly host: string
  readonly port: number
  readonly mode: 'caller' | 'rendezvous'
  /** The stream id; empty for none. */
  readonly streamId: string
  /** The passphrase; empty for none. */
  readonly passphrase: string
  readonly keyBytes: (typeof KEY_BYTES)[number]
  /** The latency in milliseconds; undefined when the address names none. */
  readonly latencyMs: number | undefined
  /** The limit in bytes per second; undefined when the address names none, and for no limit. */
  readonly maxBytesPerSecond: number | undefined
  /** The local port; undefined for any. */
  readonly localPort: number | undefined
}

/**
 * Parses `srt://host:port?streamid=…&passphrase=…&pbkeylen=16|24|32&latency=…&mode=caller|rendezvous&maxbw=…&localport=…`, with the latency
 * in milliseconds, as the tools of libsrt have it. When the stream id has a query of its own, every later parameter that is not one of SRT
 * belongs to that query: `streamid=publish:/live/a?secret=…&expire=…` is one stream id.
 * @throws {MalformedError} with the correct form; of the address it contains only numbers
 */
export function parseTargetUrl(url: string): SrtTarget {
  const parsed = url.length > MAX_URL_LENGTH ? null : URL.parse(url.replaceAll('#', '%23'))
  if (parsed?.protocol !== 'srt:') throw new MalformedError('not an address of the form srt://host:port?streamid=…')
  if (parsed.username !== '' || parsed.password !== '') {
    throw new MalformedError('SRT has no user information: put names into streamid=, and a passphrase into passphrase=')
  }
  const parameters = readParameters(parsed.search.slice(1))
  const mode = modeOf(parameters.get('mode'))
  const host = hostOf(parsed.hostname)
  if (host === '') throw new MalformedError('an SRT address without a host: srt://host:port')
  if (parsed.port === '' || parsed.port === '0')
    throw new MalformedError('an SRT address without a port: srt://host:port')
  const port = Number(parsed.port)
  const maxbw = integerOf(parameters, 'maxbw', -1, Number.MAX_SAFE_INTEGER)
  return {
    host,
    port,
    mode,
    streamId: streamIdOf(parameters),
    passphrase: passphraseOf(parameters),
    keyBytes: keyBytesOf(parameters),
    latencyMs: integerOf(parameters, 'latency', 0, MAX_LATENCY_MS),
    maxBytesPerSecond: maxbw === undefined || maxbw <= 0 ? undefined : maxbw,
    localPort: integerOf(parameters, 'localport', 1, MAX_PORT) ?? (mode === 'rendezvous' ? port : undefined),
  }
}

/**
 * The host in ASCII: the URL parser leaves names of unknown schemes as they were written, with `%` for letters outside ASCII. Empty for an
 * invalid name.
 */
function hostOf(hostname: string): string {
  const host = hostname.replace(/^\[|\]$/gu, '')
  return isIP(host) === 0 ? domainToASCII(host) : host
}

/** The parameters by name; the stream id includes the parameters of its query. */
function readParameters(search: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  let inStreamId = false
  for (const part of search.split('&')) {
    const [name = '', ...rest] = part.split('=')
    const known = OWN.has(name)
    if (!known && inStreamId) parameters.set('streamid', `${parameters.get('streamid')}&${decoded(part)}`)
    else if (!parameters.has(name)) {
      const value = decoded(rest.join('='))
      parameters.set(name, value)
      inStreamId = name === 'streamid' && value.includes('?')
    }
  }
  return parameters
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new MalformedError('an SRT address with a broken % sequence: write %25 for a percent sign')
  }
}

function modeOf(mode = 'caller'): SrtTarget['mode'] {
  if (mode === 'caller' || mode === 'rendezvous') return mode
  if (mode === 'listener') {
    throw new MalformedError(
      "mode=listener: let the other end call this server's own port (srt.listenaddr), or give the address of the other end",
    )
  }
  throw new MalformedError('mode= is caller or rendezvous')
}

function streamIdOf(parameters: ReadonlyMap<string, string>): string {
  const streamId = parameters.get('streamid') ?? ''
  if (Buffer.byteLength(streamId) <= MAX_STREAM_ID_BYTES) return streamId
  throw new MalformedError(`streamid= has more than ${MAX_STREAM_ID_BYTES} bytes`)
}

function passphraseOf(parameters: ReadonlyMap<string, string>): string {
  const passphrase = parameters.get('passphrase') ?? ''
  const sizeBytes = Buffer.byteLength(passphrase)
  if (sizeBytes === 0 || (sizeBytes >= MIN_PASSPHRASE_BYTES && sizeBytes <= MAX_PASSPHRASE_BYTES)) return passphrase
  throw new MalformedError(`passphrase= has ${MIN_PASSPHRASE_BYTES} to ${MAX_PASSPHRASE_BYTES} characters`)
}

function keyBytesOf(parameters: ReadonlyMap<string, string>): SrtTarget['keyBytes'] {
  // Tools write 0 to leave the value to the other end.
  const asked = integerOf(parameters, 'pbkeylen', 0, Number.MAX_SAFE_INTEGER) || DEFAULT_KEY_BYTES
  const keyBytes = KEY_BYTES.find((size) => size === asked)
  if (keyBytes === undefined) throw new MalformedError('pbkeylen= is 16, 24 or 32')
  return keyBytes
}

function integerOf(
  parameters: ReadonlyMap<string, string>,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const text = parameters.get(name)
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (/^-?\d+$/u.test(text) && value >= least && value <= most) return value
  throw new MalformedError(`${name}= is a whole number from ${least} to ${most}`)
}
