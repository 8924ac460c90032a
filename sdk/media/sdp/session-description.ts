import { MalformedError } from '../errors.ts'
import { serializeLine, splitLines } from './line.ts'
import { parseMediaLine, serializeMedia } from './media-description.ts'
import type { MediaDescription, SdpMediaLine } from './media-description.ts'
import { parseOrigin, serializeOrigin, UNKNOWN_ORIGIN } from './origin.ts'
import type { SdpOrigin } from './origin.ts'
import { addLine, openSection, serializeSection } from './section.ts'
import type { OpenSection, SdpSection } from './section.ts'
import { ALWAYS, parseTime, serializeTime } from './time.ts'
import type { SdpTime } from './time.ts'

/** A session and its media (RFC 8866 5). */
export type SessionDescription = SdpSection & {
  readonly origin: SdpOrigin
  /** `-` for none. */
  readonly name: string
  /** The times of the session, one at least. Their repetitions are among `lines`, without a link to their time. */
  readonly times: readonly SdpTime[]
  readonly media: readonly MediaDescription[]
}

/** Longest description, in UTF-16 code units, of which a text in UTF-8 has at most one a byte. */
export const SDP_MAX_LENGTH = 1_048_576
/** Most media of a session. */
export const SDP_MAX_MEDIA = 256

const NO_NAME = '-'

/**
 * Parses a description as tolerantly as players do: with any line ends, any order of lines, missing lines and unknown ones.
 * Missing `o=`, `s=` and `t=` get the values that stand for nothing; second `o=` and `s=` lines and blanks around values are
 * dropped.
 * @throws {MalformedError} when it passes a limit, has an `m=` line without its parts, or no line of SDP at all
 */
export function parseSdp(text: string): SessionDescription {
  if (text.length > SDP_MAX_LENGTH) throw new MalformedError(`SDP of ${text.length} characters`)
  const session = openSection()
  const times: SdpTime[] = []
  const media: (SdpMediaLine & OpenSection)[] = []
  let origin: SdpOrigin | undefined
  let name: string | undefined
  let known = false
  let section = session
  for (const line of splitLines(text)) {
    known = true
    switch (line.type) {
      case 'v':
        break
      case 'o':
        origin ??= parseOrigin(line.value)
        break
      case 's':
        name ??= line.value
        break
      case 't':
        times.push(parseTime(line.value))
        break
      case 'm':
        section = openMedia(media, line.value)
        break
      default:
        addLine(isOfSession(line.type) ? session : section, line)
    }
  }
  if (!known) throw new MalformedError(`no SDP in ${text.length} characters`)
  const head = { origin: origin ?? UNKNOWN_ORIGIN, name: name || NO_NAME, times: times.length > 0 ? times : [ALWAYS] }
  return { ...head, ...session, media }
}

/** Types that no medium has, so they belong to the session wherever they are. */
function isOfSession(type: string): boolean {
  return 'ueprz'.includes(type)
}

function openMedia(media: (SdpMediaLine & OpenSection)[], line: string): OpenSection {
  if (media.length === SDP_MAX_MEDIA) throw new MalformedError(`SDP of more than ${SDP_MAX_MEDIA} media`)
  const opened = { ...parseMediaLine(line), ...openSection() }
  media.push(opened)
  return opened
}

/**
 * Serializes a description, its lines in the order of RFC 8866 and each with `\r\n`.
 * @throws {MalformedError} when a value has a line end in it, or one that has to be a word is none
 */
export function serializeSdp(description: SessionDescription): string {
  const { origin, name, times, media } = description
  const head = [
    { type: 'v', value: '0' },
    { type: 'o', value: serializeOrigin(origin) },
    { type: 's', value: name },
  ]
  const timeLines = times.map((time) => ({ type: 't', value: serializeTime(time) }))
  const parts = [...head.map(serializeLine), serializeSection(description, timeLines), ...media.map(serializeMedia)]
  return parts.join('')
}
