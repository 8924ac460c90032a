import { MalformedError } from 'sluice/sdk/media'

/** The most lines of a description that is read. */
const MAX_LINES = 200

/** The offer of a platform, in the body of an `INVITE` (GB/T 28181-2022 annex G). */
export type MediaOffer = {
  /** `s=`: Play, Playback, Download, or Talk. */
  readonly kind: string
  /** `u=`: the channel, and the type of recordings behind a colon. */
  readonly uri: string | undefined
  /** `t=`, in seconds since 1970; both 0 for what is live. */
  readonly start: number
  readonly end: number
  /** The address that media goes to. */
  readonly host: string
  readonly port: number
  /** The media of `m=`, such as `video`. */
  readonly media: string
  readonly transport: 'udp' | 'tcp'
  /** The role of the platform for TCP: `passive` when it waits for the device; undefined for UDP. */
  readonly setup: 'active' | 'passive' | undefined
  /** The payload type of the program stream. */
  readonly payloadType: number
  /** `y=` as it was written; undefined where there is none. */
  readonly ssrc: string | undefined
  /** `f=` as it was written; undefined where there is none. */
  readonly format: string | undefined
  readonly downloadSpeed: number | undefined
  /** 0 for the main stream, 1 for the other one; undefined where it isn't said. */
  readonly streamNumber: number | undefined
}

/** The description can't be met (RFC 3261 21.4.26). */
export class NotAcceptable extends Error {
  override readonly name = 'NotAcceptable'
}

const DEFAULT_PAYLOAD_TYPE = 96

/**
 * Reads a description.
 * @throws {MalformedError} when lines are broken or missing
 * @throws {NotAcceptable} when its media are not offered as a program stream over RTP
 */
export function parseOffer(text: string): MediaOffer {
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== '')
  if (lines.length > MAX_LINES) throw new MalformedError(`a description of ${lines.length} lines`)
  const fields = lines.map((line): readonly [string, string] => {
    if (!/^[a-z]=/u.test(line)) throw new MalformedError('a line that is none of SDP')
    return [line.slice(0, 1), line.slice(2).trim()]
  })
  // The connection of the media comes after that of the session.
  const last = (type: string) => fields.findLast(([name]) => name === type)?.[1]
  const media = mediaOf(fields.find(([name]) => name === 'm')?.[1])
  const [, host] = /^IN IP[46] ([\w.:-]+)/u.exec(last('c') ?? '') ?? []
  if (host === undefined) throw new MalformedError('a description without an address')
  const [start = 0, end = 0] = (last('t') ?? '0 0').split(/\s+/u).map(Number)
  if (!Number.isFinite(start) || !Number.isFinite(end)) throw new MalformedError('times that are none')
  const attributes = fields.filter(([name]) => name === 'a').map(([, value]) => value)
  return {
    kind: last('s') ?? '',
    uri: last('u'),
    start,
    end,
    host,
    ...media,
    setup: media.transport === 'udp' ? undefined : setupOf(attributeOf(attributes, 'setup')),
    payloadType: payloadTypeOf(attributes),
    ssrc: last('y'),
    format: last('f'),
    downloadSpeed: numberOf(attributeOf(attributes, 'downloadspeed')),
    streamNumber: numberOf(attributeOf(attributes, 'streamnumber') ?? attributeOf(attributes, 'stream')),
  }
}

function mediaOf(line: string | undefined): Pick<MediaOffer, 'media' | 'port' | 'transport'> {
  const [, media, port, profile] = /^(\w+) (\d{1,5})(?:\/\d+)? (\S+)(?: |$)/u.exec(line ?? '') ?? []
  if (media === undefined || Number(port) > 0xffff) throw new MalformedError('a description without media')
  if (profile !== 'RTP/AVP' && profile !== 'TCP/RTP/AVP') throw new NotAcceptable(`media by ${profile}`)
  return { media, port: Number(port), transport: profile === 'RTP/AVP' ? 'udp' : 'tcp' }
}

function setupOf(value: string | undefined): 'active' | 'passive' {
  if (value !== undefined && value !== 'active' && value !== 'passive') throw new NotAcceptable(`setup:${value}`)
  return value ?? 'passive'
}

/** The type that a `rtpmap` gives the program stream; 96 where none does. */
function payloadTypeOf(attributes: readonly string[]): number {
  const maps = attributes.flatMap((attribute) => /^rtpmap:\s*(\d{1,3}) (\w+)/iu.exec(attribute) ?? [])
  const at = maps.findIndex((word) => word.toUpperCase() === 'PS')
  return at < 0 ? DEFAULT_PAYLOAD_TYPE : Number(maps[at - 1])
}

function attributeOf(attributes: readonly string[], name: string): string | undefined {
  return attributes.find((attribute) => attribute.startsWith(`${name}:`))?.slice(name.length + 1)
}

function numberOf(text: string | undefined): number | undefined {
  const number = Number(text)
  return text !== undefined && Number.isFinite(number) ? number : undefined
}
