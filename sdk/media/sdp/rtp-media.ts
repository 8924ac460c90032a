import type { RtpFormat } from '../rtp/format.ts'
import { MAX_PAYLOAD_TYPE, staticClockRate, staticEncoding } from '../rtp/static-payload-type.ts'
import type { SdpAttribute } from './attribute.ts'
import { addFmtpParameters, fmtpPayloadType } from './fmtp.ts'
import { parseDecimal } from './line.ts'
import type { MediaDescription } from './media-description.ts'
import { parseRtpmap } from './rtpmap.ts'
import type { Rtpmap } from './rtpmap.ts'

const VIDEO_CLOCK_RATE = 90_000
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

/**
 * The RTP formats of a medium in its order, each once: by `rtpmap` and `fmtp`, or by RFC 3551 for static payload types.
 * Those that nothing describes are left out. None when the medium is not carried by RTP.
 * @throws {MalformedError} when a format has too many parameters
 */
export function rtpFormatsOf(media: MediaDescription): RtpFormat[] {
  if (!media.protocol.toUpperCase().includes('RTP')) return []
  const rtpmaps = rtpmapsOf(media.attributes)
  const parameters = parametersOf(media.attributes)
  const payloadTypes = new Set(media.formats.map((format) => parseDecimal(format, MAX_PAYLOAD_TYPE)))
  return [...payloadTypes].flatMap((payloadType) => {
    if (payloadType === undefined) return []
    const encoding = encodingOf(rtpmaps.get(payloadType), media.type) ?? staticEncoding(payloadType)
    return encoding ? [{ payloadType, ...encoding, parameters: parameters.get(payloadType) ?? NO_PARAMETERS }] : []
  })
}

function rtpmapsOf(attributes: readonly SdpAttribute[]): Map<number, Rtpmap> {
  const rtpmaps = new Map<number, Rtpmap>()
  for (const { name, value = '' } of attributes) {
    const rtpmap = name === 'rtpmap' ? parseRtpmap(value) : undefined
    if (rtpmap && !rtpmaps.has(rtpmap.payloadType)) rtpmaps.set(rtpmap.payloadType, rtpmap)
  }
  return rtpmaps
}

/** The parameters by payload type; several `fmtp` of one are taken together. */
function parametersOf(attributes: readonly SdpAttribute[]): Map<number, Map<string, string>> {
  const byType = new Map<number, Map<string, string>>()
  for (const { name, value = '' } of attributes) {
    const payloadType = name === 'fmtp' ? fmtpPayloadType(value) : undefined
    if (payloadType === undefined) continue
    const parameters = byType.get(payloadType) ?? new Map<string, string>()
    addFmtpParameters(value, parameters)
    byType.set(payloadType, parameters)
  }
  return byType
}

function encodingOf(rtpmap: Rtpmap | undefined, mediaType: string) {
  if (!rtpmap) return undefined
  const { encodingName, channels } = rtpmap
  const usual = staticClockRate(encodingName) ?? (mediaType === 'video' ? VIDEO_CLOCK_RATE : undefined)
  const clockRate = rtpmap.clockRate ?? usual
  return clockRate === undefined ? undefined : { encodingName, clockRate, channels }
}

/** The attributes that describe a format: its `rtpmap`, and `fmtp` where it has parameters. */
export function rtpFormatAttributes(format: RtpFormat): SdpAttribute[] {
  const { payloadType, encodingName, clockRate, channels, parameters } = format
  const encoding = [encodingName, clockRate, ...(channels > 1 ? [channels] : [])].join('/')
  const rtpmap = { name: 'rtpmap', value: `${payloadType} ${encoding}` }
  if (parameters.size === 0) return [rtpmap]
  const list = parameters.entries().map(([name, value]) => (value === '' ? name : `${name}=${value}`))
  return [rtpmap, { name: 'fmtp', value: `${payloadType} ${[...list].join(';')}` }]
}
