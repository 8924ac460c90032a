import { MalformedError } from '../errors.ts'
import { joinWords, parseDecimal, serializeLine, splitWords } from './line.ts'
import { serializeSection } from './section.ts'
import type { SdpSection } from './section.ts'

/** The `m=` line (RFC 8866 5.14). */
export type SdpMediaLine = {
  /** `audio`, `video`, `application` or another word. */
  readonly type: string
  /** 0 where RTSP has it in its transport, or where SIP and WebRTC refuse the medium. */
  readonly port: number
  /** The number of pairs of ports that follow each other; one if it is left out. */
  readonly portCount?: number
  /** The transport, for example `RTP/AVP`, `TCP/RTP/AVP` or `UDP/TLS/RTP/SAVPF`. */
  readonly protocol: string
  /** The formats of the medium; with RTP its payload types. */
  readonly formats: readonly string[]
}

/** One medium of a session (RFC 8866 5.14). */
export type MediaDescription = SdpMediaLine & SdpSection

/** Most formats of one medium. */
export const SDP_MAX_FORMATS = 256

const MAX_PORT = 0xffff
const WORDS_BEFORE_FORMATS = 3
/** The characters of a broken line that an error shows. */
const MAX_QUOTED = 80

/**
 * Parses the value of an `m=` line. A port that is no port is 0.
 * @throws {MalformedError} when it has no protocol, or too many formats
 */
export function parseMediaLine(line: string): SdpMediaLine {
  const words = splitWords(line, WORDS_BEFORE_FORMATS + SDP_MAX_FORMATS + 1)
  const [type = '', ports = '', protocol = '', ...formats] = words
  if (protocol === '')
    throw new MalformedError(`m= line without a protocol: ${JSON.stringify(line.slice(0, MAX_QUOTED))}`)
  if (formats.length > SDP_MAX_FORMATS) throw new MalformedError(`m= line of more than ${SDP_MAX_FORMATS} formats`)
  const [port, count] = ports.split('/', 2)
  const portCount = parseDecimal(count, MAX_PORT)
  const head = { type, port: parseDecimal(port, MAX_PORT) ?? 0, protocol, formats }
  return portCount === undefined ? head : { ...head, portCount }
}

/** Writes a medium with its lines. @throws {MalformedError} when a part of it cannot be written. */
export function serializeMedia(media: MediaDescription): string {
  const { type, port, portCount, protocol, formats } = media
  const ports = portCount === undefined ? port : `${port}/${portCount}`
  const line = { type: 'm', value: joinWords([type, ports, protocol, ...formats]) }
  return serializeLine(line) + serializeSection(media, [])
}
