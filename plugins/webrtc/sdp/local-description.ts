import {
  rtpFormatAttributes,
  serializeSdp,
  type MediaDescription,
  type RtpFormat,
  type SdpAttribute,
} from 'sluice/sdk/media'
import type { TransportDescription } from '../transport/transport-description.ts'
import { RTX_ENCODING } from './codec-names.ts'
import { RTP_EXTENSION, type NegotiatedMedia, type NegotiatedSource } from './negotiated-media.ts'
import type { RemoteDescription } from './remote-description.ts'
import { candidateAttributes, transportAttributes } from './transport-attributes.ts'

/** The identifiers of a session in its descriptions. */
export type SessionNames = {
  /** Up to 19 digits, different for each session (RFC 8829 5.2.1). */
  readonly sessionId: string
  /** The same for all sources of this end (RFC 7022): letters and digits. */
  readonly cname: string
}

/** The `msid` that joins the medias that are sent to one stream (RFC 8830). */
const STREAM_ID = 'sluice'
/** The port that stands for "by ICE" (RFC 8840 4.1.1). */
const ANY_PORT = 9
const ANYWHERE = { addressType: 'IP4', address: '0.0.0.0' } as const
/** The registered spellings of encoding names; the others are in upper case. */
const SPELLINGS: Readonly<Record<string, string>> = { OPUS: 'opus', RTX: 'rtx' }

/**
 * The answer to an offer: accepts `medias` as they were agreed on, and refuses all others.
 * @param local the transport; its `setup` is ignored, as the offer leaves one choice
 */
export function serializeAnswer(
  offer: RemoteDescription,
  medias: readonly NegotiatedMedia[],
  local: TransportDescription,
  names: SessionNames,
): string {
  // "passive" lets the peer begin the handshake, which knows first that packets get through.
  const transport = { ...local, setup: offer.transport.setup === 'passive' ? 'active' : 'passive' } as const
  const sections = offer.medias.map(({ index, mid, description }) => {
    const agreed = medias.find((media) => media.index === index)
    if (agreed === undefined) return refusedSection(description, mid)
    return agreedSection(agreed, transport, names, agreed === medias[0])
  })
  return serialize(sections, medias, names)
}

/** Writes an offer of medias; the `index` of each is its place. */
export function serializeOffer(
  medias: readonly NegotiatedMedia[],
  local: TransportDescription,
  names: SessionNames,
): string {
  const sections = medias.map((media) => agreedSection(media, local, names, media === medias[0]))
  return serialize(sections, medias, names)
}

function serialize(
  media: readonly MediaDescription[],
  agreed: readonly NegotiatedMedia[],
  { sessionId }: SessionNames,
): string {
  return serializeSdp({
    origin: { username: '-', sessionId, sessionVersion: '1', addressType: 'IP4', address: '0.0.0.0' },
    name: '-',
    times: [{ startSeconds: 0, stopSeconds: 0 }],
    lines: [],
    attributes: [
      { name: 'group', value: ['BUNDLE', ...agreed.map(({ mid }) => mid)].join(' ') },
      { name: 'msid-semantic', value: 'WMS *' },
      { name: 'ice-options', value: 'trickle' },
    ],
    media,
  })
}

/** The section of a media that is refused, which has the port 0 (RFC 8829 5.3.1). */
function refusedSection({ type, protocol, formats }: MediaDescription, mid: string): MediaDescription {
  const attributes = [{ name: 'inactive' }, { name: 'mid', value: mid }]
  return { type, port: 0, protocol, formats: formats.slice(0, 1), connection: ANYWHERE, lines: [], attributes }
}

function agreedSection(
  media: NegotiatedMedia,
  transport: TransportDescription,
  { cname }: SessionNames,
  hasCandidates: boolean,
): MediaDescription {
  const { kind, mid, direction, formats, extensions, sources, rids } = media
  const attributes: SdpAttribute[] = [
    { name: 'mid', value: mid },
    { name: direction === 'send' ? 'sendonly' : 'recvonly' },
    { name: 'rtcp-mux' },
    { name: 'rtcp-rsize' },
    ...transportAttributes(transport),
    ...[...extensions].map(([name, id]) => ({ name: 'extmap', value: `${id} ${RTP_EXTENSION[name]}` })),
    ...(direction === 'send' ? [{ name: 'msid', value: `${STREAM_ID} ${kind}` }] : []),
    ...formats.flatMap(formatAttributes),
    ...(direction === 'send' ? sources.flatMap((source) => sourceAttributes(source, cname, kind)) : []),
    ...simulcastAttributes(rids),
    ...(hasCandidates ? candidateAttributes(transport) : []),
  ]
  const types = formats.flatMap(({ format, rtxPayloadType }) => [format.payloadType, rtxPayloadType ?? []].flat())
  const head = { type: kind, port: ANY_PORT, protocol: 'UDP/TLS/RTP/SAVPF', formats: types.map(String) }
  return { ...head, connection: ANYWHERE, lines: [], attributes }
}

function formatAttributes({ format, feedback, rtxPayloadType }: NegotiatedMedia['formats'][number]): SdpAttribute[] {
  const { payloadType, clockRate } = format
  const lines = [
    ...spelledAttributes(format),
    ...[...feedback].map((name) => ({ name: 'rtcp-fb', value: `${payloadType} ${name}` })),
  ]
  if (rtxPayloadType === undefined) return lines
  const parameters = new Map([['apt', String(payloadType)]])
  const rtx = { payloadType: rtxPayloadType, encodingName: RTX_ENCODING, clockRate, channels: 1, parameters }
  return [...lines, ...spelledAttributes(rtx)]
}

function spelledAttributes(format: RtpFormat): SdpAttribute[] {
  const { encodingName } = format
  return rtpFormatAttributes({ ...format, encodingName: SPELLINGS[encodingName] ?? encodingName })
}

/** The attributes of sources (RFC 5576 4.1, 4.2), with the `msid` of older browsers. */
function sourceAttributes({ ssrc, rtxSsrc }: NegotiatedSource, cname: string, kind: string): SdpAttribute[] {
  const all = rtxSsrc === undefined ? [ssrc] : [ssrc, rtxSsrc]
  const group = { name: 'ssrc-group', value: ['FID', ...all].join(' ') }
  return [
    ...(rtxSsrc === undefined ? [] : [group]),
    ...all.flatMap((each) => [
      { name: 'ssrc', value: `${each} cname:${cname}` },
      { name: 'ssrc', value: `${each} msid:${STREAM_ID} ${kind}` },
    ]),
  ]
}

/** The attributes of the simulcast of a media that is received (RFC 8853 5.3.2). */
function simulcastAttributes(rids: readonly string[]): SdpAttribute[] {
  if (rids.length === 0) return []
  return [
    ...rids.map((rid) => ({ name: 'rid', value: `${rid} recv` })),
    { name: 'simulcast', value: `recv ${rids.join(';')}` },
  ]
}
