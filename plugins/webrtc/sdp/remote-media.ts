import { InvalidRequest } from 'sluice/sdk'
import { rtpFormatsOf, sdpAttribute, type MediaDescription, type RtpFormat, type SdpAttribute } from 'sluice/sdk/media'
import { RTP_EXTENSION, type NegotiatedSource, type RtcpFeedback, type RtpExtensionName } from './negotiated-media.ts'

/** The direction of a media (RFC 8866 6.7), as its describer sees it. */
export type MediaDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

/** A parsed media of the peer's description. */
export type RemoteMedia = {
  /** Its place in the description, from 0. */
  readonly index: number
  readonly description: MediaDescription
  /** The kind; undefined for data channels and the like. */
  readonly kind: 'audio' | 'video' | undefined
  readonly mid: string
  /** True when the media is not to be used: the peer has refused it, or does not send it with the others. */
  readonly isRejected: boolean
  readonly direction: MediaDirection
  /** The formats in the peer's order of preference, those of retransmission among them. */
  readonly formats: readonly RtpFormat[]
  /** The RTCP feedback by payload type. */
  readonly feedback: ReadonlyMap<number, ReadonlySet<RtcpFeedback>>
  /** The header extensions that this server knows, by identifiers of 1–14. */
  readonly extensions: ReadonlyMap<RtpExtensionName, number>
  readonly sources: readonly NegotiatedSource[]
  /** The identifiers of the layers that it sends (RFC 8853), in its order; else empty. */
  readonly rids: readonly string[]
}

/** The most layers of one media, and the most sources of one. Further ones are ignored. */
export const MAX_RIDS = 8
export const MAX_SOURCES = 16

const DIRECTIONS: readonly string[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] satisfies MediaDirection[]
const FEEDBACK: readonly string[] = [
  'nack',
  'nack pli',
  'ccm fir',
  'goog-remb',
  'transport-cc',
] satisfies RtcpFeedback[]
const EXTENSION_NAMES: ReadonlyMap<string, RtpExtensionName> = new Map(
  Object.entries(RTP_EXTENSION).map(([name, uri]) => [uri, name as RtpExtensionName]),
)
/** The largest identifier of one-byte headers (RFC 8285 4.2). */
const MAX_EXTENSION_ID = 14
/** A token (RFC 8866 9), of a length that a one-byte header extension can have. */
const MID = /^[\w!#$%&'*+\-.^`{|}~]{1,16}$/u
/** The identifier of a layer (RFC 8851 10). */
const RID = /^[A-Za-z\d_-]{1,16}$/u
const MAX_SSRC = 0xffff_ffff

/**
 * Parses a media.
 * @param bundle the names of the medias that share a transport
 * @param direction the direction of the session, for a media that has none
 * @throws {InvalidRequest} when its name is invalid
 * @throws {MalformedError} when it has too many parameters
 */
export function parseRemoteMedia(
  description: MediaDescription,
  index: number,
  bundle: readonly string[],
  direction: MediaDirection,
): RemoteMedia {
  const { attributes, type, port, protocol } = description
  const mid = sdpAttribute(attributes, 'mid')?.value ?? String(index)
  if (!MID.test(mid)) throw new InvalidRequest('a=mid has 1 to 16 letters and digits')
  const isRtp = protocol.toUpperCase().includes('RTP/SAVP')
  const isRefused = port === 0 && sdpAttribute(attributes, 'bundle-only') === undefined
  return {
    index,
    description,
    kind: isRtp && (type === 'audio' || type === 'video') ? type : undefined,
    mid,
    isRejected: isRefused || !bundle.includes(mid),
    direction: directionOf(attributes) ?? direction,
    formats: rtpFormatsOf(description),
    feedback: feedbackOf(description),
    extensions: extensionsOf(attributes),
    sources: sourcesOf(attributes),
    rids: ridsOf(attributes),
  }
}

/** The direction among attributes; undefined when there is none. */
export function directionOf(attributes: readonly SdpAttribute[]): MediaDirection | undefined {
  return attributes.find(({ name }) => DIRECTIONS.includes(name))?.name as MediaDirection | undefined
}

/** The feedback attributes (RFC 4585 4.2); `*` stands for all payload types. */
function feedbackOf({ attributes, formats }: MediaDescription): Map<number, ReadonlySet<RtcpFeedback>> {
  const byType = new Map(formats.map((format) => [Number(format), new Set<RtcpFeedback>()]))
  for (const { name, value = '' } of attributes) {
    if (name !== 'rtcp-fb') continue
    const [type = '', ...words] = value.split(/\s+/u, 4)
    const feedback = words.join(' ')
    if (!FEEDBACK.includes(feedback)) continue
    const sets = type === '*' ? [...byType.values()] : [byType.get(Number(type))]
    for (const set of sets) set?.add(feedback as RtcpFeedback)
  }
  return byType
}

/** The header extensions (RFC 8285 5): `a=extmap:4/recvonly urn:…`. */
function extensionsOf(attributes: readonly SdpAttribute[]): Map<RtpExtensionName, number> {
  const extensions = new Map<RtpExtensionName, number>()
  for (const { name, value = '' } of attributes) {
    if (name !== 'extmap') continue
    const [place = '', uri = ''] = value.split(/\s+/u, 2)
    const id = Number.parseInt(place, 10)
    const known = EXTENSION_NAMES.get(uri)
    if (known !== undefined && id >= 1 && id <= MAX_EXTENSION_ID && !extensions.has(known)) extensions.set(known, id)
  }
  return extensions
}

/** The sources (RFC 5576 4.1), and the pairs with retransmission (RFC 4588 8.8) in groups (RFC 5576 4.2). */
function sourcesOf(attributes: readonly SdpAttribute[]): NegotiatedSource[] {
  const named = new Set<number>()
  const retransmissions = new Map<number, number>()
  for (const { name, value = '' } of attributes) {
    if (name === 'ssrc') addSsrc(named, value.split(/\s+/u, 1)[0])
    if (name !== 'ssrc-group') continue
    const [semantics, ssrc, rtxSsrc] = value.split(/\s+/u, 3)
    const [first, second] = [parseSsrc(ssrc), parseSsrc(rtxSsrc)]
    if (semantics === 'FID' && first !== undefined && second !== undefined && retransmissions.size < MAX_SOURCES) {
      retransmissions.set(first, second)
    }
  }
  const repeated = new Set(retransmissions.values())
  const primary = [...named].filter((ssrc) => !repeated.has(ssrc)).slice(0, MAX_SOURCES)
  return primary.map((ssrc) => ({ ssrc, rtxSsrc: retransmissions.get(ssrc) }))
}

function addSsrc(named: Set<number>, word: string | undefined): void {
  const ssrc = parseSsrc(word)
  if (ssrc !== undefined && named.size < 2 * MAX_SOURCES) named.add(ssrc)
}

function parseSsrc(word: string | undefined): number | undefined {
  const ssrc = word !== undefined && /^\d{1,10}$/u.test(word) ? Number(word) : 0
  return ssrc > 0 && ssrc <= MAX_SSRC ? ssrc : undefined
}

/**
 * The layers that are sent (RFC 8853 5.1): `send h;m,m2;~l recv …`. The first of alternatives counts, and a layer that starts paused (`~`)
 * is one. Older Firefox writes `send rid=h;l`.
 */
function ridsOf(attributes: readonly SdpAttribute[]): string[] {
  const words = (sdpAttribute(attributes, 'simulcast')?.value ?? '').split(/\s+/u, 4)
  const list = words[words.indexOf('send') + 1]
  if (!words.includes('send') || list === undefined) return []
  const sent = new Set(attributes.flatMap(({ name, value }) => (name === 'rid' && value ? sentRid(value) : [])))
  const layers = list.replace(/^rid=/u, '').split(';', MAX_RIDS)
  const rids = layers.map((layer) => layer.split(',', 1)[0]!.replace(/^~/u, ''))
  return [...new Set(rids)].filter((rid) => RID.test(rid) && sent.has(rid))
}

function sentRid(value: string): string[] {
  const [rid = '', direction] = value.split(/\s+/u, 2)
  return direction === 'send' ? [rid] : []
}
