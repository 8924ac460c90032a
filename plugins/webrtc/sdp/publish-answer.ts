import type { RtpFormat } from 'sluice/sdk/media'
import { codecName, codecOfFormat, listNames, RTX_ENCODING } from './codec-names.ts'
import { asStereo, h264ModeName, negotiate, receivableFormats } from './format-selection.ts'
import type { NegotiatedFormat, NegotiatedMedia, RtcpFeedback, RtpExtensionName } from './negotiated-media.ts'
import { NotAcceptable } from './not-acceptable.ts'
import type { RemoteDescription } from './remote-description.ts'
import type { RemoteMedia } from './remote-media.ts'

/** The most medias of one kind that are accepted from a publisher; each is a track, or one for each of its layers. */
export const MAX_PUBLISHED_MEDIAS = 4

const RECEIVED = 'H.264 (packetization-mode=1 or 0), H.265, VP8, VP9 or AV1, and Opus, PCMA, PCMU or G.722'

/**
 * The medias of a publisher's offer that are accepted (WHIP, RFC 9725 4.2): all formats that can be received, in the offer's order.
 * @throws {NotAcceptable} with the formats that can be received, when the offer has none of them
 */
export function answerPublish({ medias }: RemoteDescription): NegotiatedMedia[] {
  const counts = { audio: 0, video: 0 }
  const taken: NegotiatedMedia[] = []
  for (const media of medias) {
    const { kind } = media
    if (kind === undefined || !isSent(media) || counts[kind] === MAX_PUBLISHED_MEDIAS) continue
    const negotiated = receivedMedia(media, kind)
    if (negotiated.formats.length === 0) continue
    counts[kind] += 1
    taken.push(negotiated)
  }
  if (taken.length === 0) throw new NotAcceptable(refusalOf(medias))
  return taken
}

function isSent({ isRejected, direction }: RemoteMedia): boolean {
  return !isRejected && (direction === 'sendonly' || direction === 'sendrecv')
}

function receivedMedia(media: RemoteMedia, kind: 'audio' | 'video'): NegotiatedMedia {
  const { index, mid, sources, rids } = media
  const wanted = wantedFeedback(media)
  const extensions = new Map(media.extensions)
  for (const name of ['rid', 'repairedRid'] satisfies RtpExtensionName[]) if (rids.length === 0) extensions.delete(name)
  const formats = receivableFormats(media.formats).map((format): NegotiatedFormat =>
    negotiate(media, received(format), wanted),
  )
  return { kind, index, mid, direction: 'receive', formats, extensions, sources, rids }
}

/** Asks for stereo, as browsers send Opus in mono by default. */
function received(format: RtpFormat): RtpFormat {
  return codecOfFormat(format) === 'opus' ? asStereo(format) : format
}

/** The feedback on bandwidth: numbered packets (transport-cc), or else an estimate (REMB). */
function wantedFeedback({ extensions, feedback }: RemoteMedia): ReadonlySet<RtcpFeedback> {
  const isCounted = extensions.has('transportSequence') && feedback.values().some((set) => set.has('transport-cc'))
  return new Set<RtcpFeedback>(['nack', 'nack pli', 'ccm fir', isCounted ? 'transport-cc' : 'goog-remb'])
}

function refusalOf(medias: readonly RemoteMedia[]): string {
  if (!medias.some((media) => media.kind !== undefined && isSent(media))) {
    return 'nothing is sent: the offer has no audio and no video that is sendonly or sendrecv'
  }
  return `nothing of ${listNames(medias.filter(isSent).flatMap(offeredCodecs))} can be taken: send ${RECEIVED}`
}

/** The names of the codecs that a media offers; unknown ones as the offer has them. */
function offeredCodecs({ formats }: Pick<RemoteMedia, 'formats'>): string[] {
  return formats.flatMap((format) => {
    const codec = codecOfFormat(format)
    if (codec === undefined) return format.encodingName === RTX_ENCODING ? [] : [format.encodingName.slice(0, 20)]
    return [codec === 'h264' && receivableFormats([format]).length === 0 ? h264ModeName(format) : codecName(codec)]
  })
}
