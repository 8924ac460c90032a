import {
  rtpFormatAttributes,
  serializeSdp,
  type MediaDescription,
  type RtpFormat,
  type SdpAttribute,
} from 'sluice/sdk/media'
import type { OfferedMedia } from './offer.ts'

export type DescriptionInit = {
  readonly streamPath: string
  readonly medias: readonly OfferedMedia[]
  /** The address of the server; clients do not use it. */
  readonly ip: string
  /** The address of the presentation; `*` for that of the request. */
  readonly control: string
  /** The address of a media, relative to that of the presentation or absolute. */
  readonly controlOf: (place: number) => string
  /** The formats in which the client may send, in a media after the others. Default none. */
  readonly backChannel?: readonly RtpFormat[] | undefined
  /** The length of a recording in milliseconds; undefined for a live stream. */
  readonly durationMs?: number | undefined
}

/** The session description of a stream (RFC 8866, RFC 2326 C.1): the medias in their order. */
export function describeMedias({
  streamPath,
  medias,
  ip,
  control,
  controlOf,
  backChannel,
  durationMs,
}: DescriptionInit): string {
  const range = durationMs === undefined ? 'npt=now-' : `npt=0-${(durationMs / 1000).toFixed(3)}`
  return serializeSdp({
    origin: {
      username: '-',
      sessionId: '0',
      sessionVersion: '0',
      addressType: ip.includes(':') ? 'IP6' : 'IP4',
      address: ip,
    },
    name: streamPath,
    times: [{ startSeconds: 0, stopSeconds: 0 }],
    connection: { addressType: ip.includes(':') ? 'IP6' : 'IP4', address: ip.includes(':') ? '::' : '0.0.0.0' },
    attributes: [
      { name: 'control', value: control },
      { name: 'range', value: range },
    ],
    lines: [],
    media: [
      ...medias.map((media, place) => describeMedia(media, controlOf(place))),
      ...(backChannel === undefined ? [] : [describeBackChannel(backChannel, controlOf(medias.length))]),
    ],
  })
}

function describeMedia({ kind, format, language }: OfferedMedia, control: string): MediaDescription {
  const attributes: SdpAttribute[] = [...rtpFormatAttributes(format), { name: 'control', value: control }]
  if (language !== undefined) attributes.push({ name: 'lang', value: language })
  return { type: kind, port: 0, protocol: 'RTP/AVP', formats: [String(format.payloadType)], attributes, lines: [] }
}

/** A media in which the client sends (ONVIF Streaming Specification 5.3.3). */
function describeBackChannel(formats: readonly RtpFormat[], control: string): MediaDescription {
  const attributes = [
    ...formats.flatMap(rtpFormatAttributes),
    { name: 'control', value: control },
    { name: 'sendonly' },
  ]
  const payloadTypes = formats.map(({ payloadType }) => String(payloadType))
  return { type: 'audio', port: 0, protocol: 'RTP/AVP', formats: payloadTypes, attributes, lines: [] }
}
