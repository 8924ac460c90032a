import type { AcceptedCodecs } from 'sluice/sdk'
import { mainTracks, type MediaTrack, type RtpFormat, type Track } from 'sluice/sdk/media'
import { codecName, codecOfFormat, isSpokenCodec, listNames } from './codec-names.ts'
import { asStereo, formatForTrack, h264ModeName, isCarried, negotiate, playableFormats } from './format-selection.ts'
import { SENDER_FEEDBACK, SENT_EXTENSIONS, type NegotiatedMedia } from './negotiated-media.ts'
import { NotAcceptable } from './not-acceptable.ts'
import type { RemoteDescription } from './remote-description.ts'
import type { RemoteMedia } from './remote-media.ts'

/** Returns a random SSRC, 1 to 2³² − 1. */
export type SsrcSource = () => number

/**
 * The medias of a stream for a viewer (WHEP): the main track of each kind that the offer wants. A session gains no media
 * later, so one is agreed on for a track that has yet to begin, too.
 * @param tracks the tracks of the stream
 * @param silentTracks those that were declared and have not begun
 * @throws {NotAcceptable} with the formats that would work, when the viewer can't receive the stream
 */
export function answerPlay(
  { medias }: RemoteDescription,
  tracks: readonly Track[],
  ssrcs: SsrcSource,
  silentTracks: readonly MediaTrack[] = [],
): NegotiatedMedia[] {
  const wanted = wantedMedias(medias)
  const main = mainTracks(tracks)
  const pairs = wanted.flatMap((media) => {
    const track = main.find(({ kind }) => kind === media.kind)
    return track === undefined ? [] : [{ media, track, format: formatForTrack(media.formats, track) }]
  })
  if (pairs.length === 0) throw refusal(nothingFor(wanted, main))
  const answered = pairs.flatMap(({ media, track, format }) =>
    format === undefined ? [] : [sentMedia(media, track.kind, channelled(format, track), ssrcs)],
  )
  const awaited = wanted.flatMap((media) => {
    const track = silentTracks.find(({ kind }) => kind === media.kind)
    if (track === undefined || pairs.some((pair) => pair.media === media)) return []
    const own = formatForTrack(media.formats, track)
    const format = own === undefined ? fittedFormat(media) : channelled(own, track)
    return format === undefined ? [] : [sentMedia(media, track.kind, format, ssrcs)]
  })
  // The first media decides on the transport that all share, so the offer's order is kept.
  if (answered.length === pairs.length) {
    return [...answered, ...awaited].toSorted((one, other) => one.index - other.index)
  }
  throw refusal(
    refusalOf(
      main,
      wanted,
      pairs.flatMap(({ media, format }) => (format === undefined ? spokenCodecs(media) : [])),
    ),
  )
}

/** The codecs that a viewer can be sent, by its offer; a kind that it does not want is left out. */
export function acceptedCodecs({ medias }: RemoteDescription): AcceptedCodecs {
  const codecs = wantedMedias(medias).map(({ kind, formats }) => [
    kind,
    [...new Set(playableFormats(formats).map(codecOfFormat))].filter((codec) => codec !== undefined),
  ])
  return Object.fromEntries(codecs) as AcceptedCodecs
}

/** The first media of each kind that the viewer wants. */
function wantedMedias(medias: readonly RemoteMedia[]): RemoteMedia[] {
  const wanted = medias.filter(
    ({ isRejected, direction }) => !isRejected && (direction === 'recvonly' || direction === 'sendrecv'),
  )
  return (['video', 'audio'] as const).flatMap((kind) => wanted.find((media) => media.kind === kind) ?? [])
}

/** The format of the sound that is made for viewers who can't take that of a stream: Opus, in stereo whatever that has. */
function fittedFormat({ formats }: RemoteMedia): RtpFormat | undefined {
  const opus = playableFormats(formats).find((format) => codecOfFormat(format) === 'opus')
  return opus && asStereo(opus)
}

/** Sets Opus to stereo for a stereo track: browsers decode it in mono by default. */
function channelled(format: RtpFormat, track: MediaTrack): RtpFormat {
  const isStereo = track.kind === 'audio' && track.config.channels === 2 && codecOfFormat(format) === 'opus'
  return isStereo ? asStereo(format) : format
}

function sentMedia(media: RemoteMedia, kind: 'audio' | 'video', format: RtpFormat, ssrcs: SsrcSource): NegotiatedMedia {
  const negotiated = negotiate(media, format, SENDER_FEEDBACK)
  const extensions = new Map([...media.extensions].filter(([name]) => SENT_EXTENSIONS.includes(name)))
  const rtxSsrc = negotiated.rtxPayloadType === undefined ? undefined : ssrcs()
  const { index, mid } = media
  const sources = [{ ssrc: ssrcs(), rtxSsrc }]
  return { kind, index, mid, direction: 'send', formats: [negotiated], extensions, sources, rids: [] }
}

function refusal(message: string): NotAcceptable {
  return new NotAcceptable(message)
}

function nothingFor(wanted: readonly RemoteMedia[], main: readonly MediaTrack[]): string {
  if (wanted.length === 0) return 'nothing is wanted: the offer has no audio and no video that is recvonly or sendrecv'
  if (main.length === 0) return 'this stream has neither pictures nor sound'
  const kinds = listNames(wanted.flatMap(({ kind }) => kind ?? []))
  return `this stream is ${trackNames(main)}; the player wants ${kinds}`
}

function refusalOf(main: readonly MediaTrack[], wanted: readonly RemoteMedia[], helpful: readonly string[]): string {
  const unplayable = main.some(({ codec }) => codec === 'h264') ? wanted.flatMap(otherModes) : []
  const offered = listNames([...wanted.flatMap(spokenCodecs), ...unplayable])
  const advice = [
    ...(unplayable.length === 0 ? [] : ['offer H.264 with packetization-mode=1']),
    ...(helpful.length === 0 ? [] : [`publish in ${listAlternatives(helpful)}`]),
  ]
  const last = advice.length === 0 ? 'play it by HLS' : `${advice.join(', ')}, or play it by HLS`
  return `this stream is ${trackNames(main)}; the player offers ${offered}: ${last}`
}

/** The H.264 formats of a player's offer, when none of them can be sent. */
function otherModes({ formats }: RemoteMedia): string[] {
  const h264 = formats.filter((format) => codecOfFormat(format) === 'h264')
  return playableFormats(h264).length === 0 ? h264.map(h264ModeName) : []
}

function trackNames(tracks: readonly MediaTrack[]): string {
  return listNames(tracks.map(trackName))
}

function trackName(track: MediaTrack): string {
  const name = codecName(track.codec)
  if (track.kind === 'video' || !isSpokenCodec(track.codec) || isCarried(track)) return name
  const { sampleRate, channels } = track.config
  return `${name} (${sampleRate} Hz, channels: ${channels})`
}

/** The names of the codecs that a player offers and can be sent. */
function spokenCodecs({ formats }: RemoteMedia): string[] {
  return playableFormats(formats).map((format) => codecName(codecOfFormat(format) ?? format.encodingName))
}

function listAlternatives(names: readonly string[]): string {
  return listNames(names).replace(' and ', ' or ')
}
