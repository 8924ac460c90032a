import type { AcceptedCodecs } from 'sluice/sdk'
import { mainTracks, rtpFormatOfTrack, type RtpFormat, type Track } from 'sluice/sdk/media'
import { codecName, codecOfFormat, listNames } from './codec-names.ts'
import { isSpokenFormat, playableFormats, receivableFormats } from './format-selection.ts'
import {
  SENDER_FEEDBACK,
  SENT_EXTENSIONS,
  type NegotiatedFormat,
  type NegotiatedMedia,
  type RtcpFeedback,
  type RtpExtensionName,
} from './negotiated-media.ts'
import { NotAcceptable } from './not-acceptable.ts'
import type { SsrcSource } from './play-answer.ts'
import type { RemoteDescription } from './remote-description.ts'
import type { RemoteMedia } from './remote-media.ts'

type OfferedFormat = Pick<RtpFormat, 'encodingName' | 'clockRate' | 'channels'> & {
  readonly payloadType?: number
  readonly parameters?: readonly (readonly [string, string])[]
}

const VIDEO_CLOCK_RATE = 90_000
/** The RTCP feedback that this end sends to video sources. */
const VIDEO_FEEDBACK: readonly RtcpFeedback[] = ['nack', 'nack pli', 'ccm fir', 'goog-remb', 'transport-cc']
const AUDIO_FEEDBACK: readonly RtcpFeedback[] = ['transport-cc']
const RECEIVED_EXTENSIONS: readonly RtpExtensionName[] = ['mid', 'absoluteSendTime', 'transportSequence']
const NO_FEEDBACK: ReadonlySet<RtcpFeedback> = new Set()
const OPUS_PARAMETERS = [
  ['minptime', '10'],
  ['useinbandfec', '1'],
  ['stereo', '1'],
  ['sprop-stereo', '1'],
] as const
/** Constrained baseline, main and high, each of level 3.1 (RFC 6184 8.1), as browsers offer them. */
const H264_PROFILES = ['42e01f', '4d001f', '64001f']

/** The formats that are offered to sources: all video and audio formats that can be received. */
const RECEIVED: Readonly<Record<'video' | 'audio', readonly OfferedFormat[]>> = {
  video: [
    ...H264_PROFILES.map((profile) => video('H264', h264Parameters(profile))),
    video('H265', [['level-id', '180']]),
    video('VP8'),
    video('VP9', [['profile-id', '0']]),
    video('VP9', [['profile-id', '2']]),
    video('AV1'),
  ],
  audio: [
    { encodingName: 'OPUS', clockRate: 48_000, channels: 2, parameters: OPUS_PARAMETERS },
    { encodingName: 'G722', clockRate: 8000, channels: 1, payloadType: 9 },
    { encodingName: 'PCMU', clockRate: 8000, channels: 1, payloadType: 0 },
    { encodingName: 'PCMA', clockRate: 8000, channels: 1, payloadType: 8 },
  ],
}

/** The parameters of a format in addition to those that RTP requires (RFC 6184 8.1, RFC 7798 7.1). */
const WEBRTC_PARAMETERS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  h264: [['level-asymmetry-allowed', '1']],
  h265: [['tx-mode', 'SRST']],
}

/** The first payload type for dynamic use (RFC 3551 6). */
const FIRST_DYNAMIC_TYPE = 96

/** The offer that pulls a stream (WHEP): a media of each kind. */
export function offerReceiving(): NegotiatedMedia[] {
  let next = FIRST_DYNAMIC_TYPE
  return (['video', 'audio'] as const).map((kind, index) => {
    const formats = RECEIVED[kind].map(({ payloadType, parameters = [], ...encoding }): NegotiatedFormat => {
      const format = { ...encoding, payloadType: payloadType ?? next++, parameters: new Map(parameters) }
      const feedback = kind === 'video' ? VIDEO_FEEDBACK : AUDIO_FEEDBACK
      return { format, feedback: new Set(feedback), rtxPayloadType: kind === 'video' ? next++ : undefined }
    })
    return offeredMedia(kind, index, 'receive', formats)
  })
}

/** The codecs of streams that can be pushed. */
export const SENT_CODECS: AcceptedCodecs = {
  video: ['h264', 'h265', 'vp8', 'vp9', 'av1'],
  audio: ['opus', 'g722', 'pcmu', 'pcma'],
}

/**
 * The offer that pushes a stream (WHIP): the main track of each kind that WebRTC carries.
 * @throws {NotAcceptable} when it carries none of them
 */
export function offerSending(tracks: readonly Track[], ssrcs: SsrcSource): NegotiatedMedia[] {
  let next = FIRST_DYNAMIC_TYPE
  const medias = mainTracks(tracks.filter((track) => sentFormat(track, next) !== undefined)).flatMap((track, index) => {
    const format = sentFormat(track, next++)
    if (format === undefined) return []
    const { kind } = track
    const rtxPayloadType = kind === 'video' ? next++ : undefined
    const sources = [{ ssrc: ssrcs(), rtxSsrc: rtxPayloadType === undefined ? undefined : ssrcs() }]
    const feedback = kind === 'video' ? SENDER_FEEDBACK : NO_FEEDBACK
    return [{ ...offeredMedia(kind, index, 'send', [{ format, feedback, rtxPayloadType }]), sources }]
  })
  if (medias.length > 0) return medias
  const names = listNames(mainTracks(tracks).map(({ codec }) => codecName(codec)))
  throw new NotAcceptable(`WebRTC carries nothing of this stream, which is ${names}`)
}

function sentFormat(track: Track, payloadType: number): RtpFormat | undefined {
  if (track.codec === 'opus' && track.config.channels > 2) return undefined
  const format = rtpFormatOfTrack(track, payloadType)
  if (format === undefined || !isSpokenFormat(format)) return undefined
  if (track.codec === 'opus') return { ...format, parameters: new Map(OPUS_PARAMETERS) }
  // The parameter sets go in band, before each keyframe.
  const parameters = [...format.parameters].filter(([name]) => !name.startsWith('sprop-'))
  return { ...format, parameters: new Map([...(WEBRTC_PARAMETERS[track.codec] ?? []), ...parameters]) }
}

function offeredMedia(
  kind: 'audio' | 'video',
  index: number,
  direction: 'send' | 'receive',
  formats: readonly NegotiatedFormat[],
): NegotiatedMedia {
  const names = direction === 'send' ? SENT_EXTENSIONS : RECEIVED_EXTENSIONS
  const extensions = new Map(names.map((name, place) => [name, place + 1]))
  return { kind, index, mid: String(index), direction, formats, extensions, sources: [], rids: [] }
}

function video(encodingName: string, parameters: OfferedFormat['parameters'] = []): OfferedFormat {
  return { encodingName, clockRate: VIDEO_CLOCK_RATE, channels: 1, parameters }
}

function h264Parameters(profile: string) {
  return [
    ['level-asymmetry-allowed', '1'],
    ['packetization-mode', '1'],
    ['profile-level-id', profile],
  ] as const
}

/**
 * The medias of an offer that the server has accepted.
 * @throws {NotAcceptable} when it has accepted none
 */
export function acceptAnswer(offer: readonly NegotiatedMedia[], { medias }: RemoteDescription): NegotiatedMedia[] {
  const agreed = offer.flatMap((media) => {
    const answered = medias[media.index]
    return answered !== undefined && isAnswer(media, answered) ? agreedMedia(media, answered) : []
  })
  if (agreed.length > 0) return agreed
  throw new NotAcceptable('the server has taken nothing of what was offered')
}

function isAnswer({ direction, kind, mid }: NegotiatedMedia, answered: RemoteMedia): boolean {
  const expected = direction === 'send' ? 'recvonly' : 'sendonly'
  const isUseful = answered.direction === 'sendrecv' || answered.direction === expected
  return !answered.isRejected && isUseful && answered.kind === kind && answered.mid === mid
}

function agreedMedia(media: NegotiatedMedia, answered: RemoteMedia): NegotiatedMedia[] {
  const formats = answered.formats.flatMap((format) => agreedFormat(media, answered, format))
  if (formats.length === 0) return []
  const extensions = new Map([...media.extensions].filter(([name, id]) => answered.extensions.get(name) === id))
  const sources = media.direction === 'send' ? media.sources : answered.sources
  return [{ ...media, formats, extensions, sources }]
}

/** A payload type has the same meaning in both directions (RFC 8829 5.3.1). */
function agreedFormat(media: NegotiatedMedia, answered: RemoteMedia, format: RtpFormat): NegotiatedFormat[] {
  const { payloadType } = format
  const mine = media.formats.find((other) => other.format.payloadType === payloadType)
  if (mine === undefined || codecOfFormat(mine.format) !== codecOfFormat(format)) return []
  const usable = media.direction === 'send' ? playableFormats([format]) : receivableFormats([format])
  if (usable.length === 0) return []
  const feedback = mine.feedback.intersection(answered.feedback.get(payloadType) ?? new Set())
  const hasRtx = answered.formats.some((other) => other.payloadType === mine.rtxPayloadType)
  const parameters = media.direction === 'send' ? mine.format.parameters : format.parameters
  const rtxPayloadType = hasRtx ? mine.rtxPayloadType : undefined
  return [{ format: { ...mine.format, parameters }, feedback, rtxPayloadType }]
}
