import { rtpFormatOfTrack, type MediaTrack, type RtpFormat } from 'sluice/sdk/media'
import { codecOfFormat, RTX_ENCODING } from './codec-names.ts'
import type { NegotiatedFormat, RtcpFeedback } from './negotiated-media.ts'
import type { RemoteMedia } from './remote-media.ts'

/** The first payload type for dynamic use (RFC 3551 6). */
const FIRST_DYNAMIC_TYPE = 96
/** The profiles of VP9 that are accepted: 4:2:0 with 8 bits and with more (RFC 9628 6). */
const VP9_PROFILES = ['0', '2']
/** The profiles in a track's `codecString` (RFC 6381). */
const H264_PROFILE = /^avc\d\.([\dA-F]{2})([\dA-F]{2})/iu
const VP9_PROFILE = /^vp09\.(\d\d)/u
const AV1_PROFILE = /^av01\.(\d)/u
const H265_PROFILE = /^h(?:vc|ev)1\.[A-C]?(\d+)/u

/** The ranks of H.264 profiles by their demands on a decoder (RFC 6184 8.1, table 5): decoders of higher ones decode the lower. */
const H264_RANKS: Readonly<Record<number, number>> = { 66: 1, 77: 2, 88: 2, 100: 3, 110: 4, 122: 5, 244: 6 }
const CONSTRAINED_BASELINE_RANK = 0
/** The profile of a format without a `profile-level-id`: baseline (RFC 6184 8.1). */
const BASELINE = '42000a'
/** The bit for constrained baseline in the byte after the profile (ITU-T H.264 A.2.1.1). */
const CONSTRAINT_SET1 = 0x40
const BASELINE_IDC = 66
const MAX_SHOWN_MODE_LENGTH = 10

/** True when packets of the format can always be read and written. */
export function isSpokenFormat(format: RtpFormat): boolean {
  const { parameters } = format
  switch (codecOfFormat(format)) {
    case undefined:
      return false
    case 'h264':
      // Mode 0 has no fragments, so each slice has to fit into a packet, and mode 2 is never used.
      return parameters.get('packetization-mode') === '1'
    case 'h265':
      return (parameters.get('tx-mode') ?? 'SRST') === 'SRST'
    case 'vp9':
      return VP9_PROFILES.includes(parameters.get('profile-id') ?? '0')
    default:
      return true
  }
}

/**
 * The formats of a peer that can be received. H.264 in single NAL units (mode 0, which is also that of a format without one, RFC 6184 8.1)
 * is accepted when the peer has no other: it has to cut its pictures into slices that fit.
 */
export function receivableFormats(formats: readonly RtpFormat[]): RtpFormat[] {
  return withoutMode1(formats, (mode = '0') => mode === '0')
}

/**
 * The formats of a peer that can be sent. H.264 without a mode is accepted when there is no other, as peers that write so little, such as
 * users of GStreamer, read fragments all the same. One with `packetization-mode=0` is not: encoders' slices do not fit into a packet.
 */
export function playableFormats(formats: readonly RtpFormat[]): RtpFormat[] {
  return withoutMode1(formats, (mode) => mode === undefined)
}

/** The name of an H.264 format that can't be used because of its mode. */
export function h264ModeName({ parameters }: RtpFormat): string {
  return `H.264 (packetization-mode=${(parameters.get('packetization-mode') ?? '0').slice(0, MAX_SHOWN_MODE_LENGTH)})`
}

/** The formats that are supported, and those of H.264 by another mode when there are none by mode 1. */
function withoutMode1(formats: readonly RtpFormat[], isTaken: (mode: string | undefined) => boolean): RtpFormat[] {
  const isH264 = (format: RtpFormat) => codecOfFormat(format) === 'h264'
  const hasMode1 = formats.some((format) => isH264(format) && isSpokenFormat(format))
  const isOtherwiseTaken = (format: RtpFormat) =>
    !hasMode1 && isH264(format) && isTaken(format.parameters.get('packetization-mode'))
  return formats.filter((format) => isSpokenFormat(format) || isOtherwiseTaken(format))
}

/** A format of a peer with the feedback that is wanted, and the payload type of its retransmission. */
export function negotiate(media: RemoteMedia, format: RtpFormat, wanted: ReadonlySet<RtcpFeedback>): NegotiatedFormat {
  const apt = String(format.payloadType)
  const rtx = media.formats.find(
    ({ encodingName, parameters }) => encodingName === RTX_ENCODING && parameters.get('apt') === apt,
  )
  const feedback = media.feedback.get(format.payloadType) ?? new Set()
  return { format, feedback: feedback.intersection(wanted), rtxPayloadType: rtx?.payloadType }
}

/** The same format with parameters for two channels of Opus. */
export function asStereo(format: RtpFormat): RtpFormat {
  const { parameters } = format
  return { ...format, parameters: new Map([...parameters, ['stereo', '1'], ['sprop-stereo', '1']]) }
}

/** The format of a media in which a track can be sent; undefined when there is none. */
export function formatForTrack(formats: readonly RtpFormat[], track: MediaTrack): RtpFormat | undefined {
  if (!isCarried(track)) return undefined
  const ofCodec = playableFormats(formats).filter((format) => codecOfFormat(format) === track.codec)
  const { codecString } = track.config
  switch (track.codec) {
    case 'h264':
      return h264FormatFor(ofCodec, codecString)
    case 'vp9':
      return withProfile(ofCodec, 'profile-id', VP9_PROFILE.exec(codecString)?.[1])
    case 'av1':
      return withProfile(ofCodec, 'profile', AV1_PROFILE.exec(codecString)?.[1])
    case 'h265':
      // Decoders can do more than players announce: a format of another profile is better than none.
      return withProfile(ofCodec, 'profile-id', H265_PROFILE.exec(codecString)?.[1], '1') ?? ofCodec[0]
    default:
      return ofCodec[0]
  }
}

/** True when a track can be sent in a format that players know: not AAC, G.711 of another rate, or Opus of many channels. */
export function isCarried(track: MediaTrack): boolean {
  const format = rtpFormatOfTrack(track, FIRST_DYNAMIC_TYPE)
  return format !== undefined && codecOfFormat(format) === track.codec
}

/** The format with a profile; without one, the format of the lowest. */
function withProfile(formats: readonly RtpFormat[], name: string, profile = '0', usual = '0'): RtpFormat | undefined {
  return formats.find(({ parameters }) => Number(parameters.get(name) ?? usual) === Number(profile))
}

/**
 * The format of the track's profile; else the nearest above, as its decoders decode it; else the highest, as browsers decode all profiles
 * that they have a decoder for. Levels may differ (`level-asymmetry-allowed`), and do not limit a player.
 */
function h264FormatFor(formats: readonly RtpFormat[], codecString: string): RtpFormat | undefined {
  const [, profile = '42', constraints = 'e0'] = H264_PROFILE.exec(codecString) ?? []
  const wanted = h264Rank(profile + constraints)
  const ranked = formats.map((format) => ({
    format,
    rank: h264Rank(format.parameters.get('profile-level-id') ?? BASELINE),
  }))
  ranked.sort((one, other) => one.rank - other.rank)
  return (ranked.find(({ rank }) => rank >= wanted) ?? ranked.at(-1))?.format
}

/** @param profileLevelId three bytes in hexadecimal digits, of which the last does not matter */
function h264Rank(profileLevelId: string): number {
  const profile = Number.parseInt(profileLevelId.slice(0, 2), 16)
  const constraints = Number.parseInt(profileLevelId.slice(2, 4), 16)
  if (profile === BASELINE_IDC && (constraints & CONSTRAINT_SET1) !== 0) return CONSTRAINED_BASELINE_RANK
  return H264_RANKS[profile] ?? 1
}
