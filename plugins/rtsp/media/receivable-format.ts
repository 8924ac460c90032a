import { MalformedError, rtpFormatProblem, rtpFormatsOf, type MediaDescription, type RtpFormat } from 'sluice/sdk/media'

/** Far more than registered names have. */
const MAX_NAME_LENGTH = 40
const MAX_PROBLEM_LENGTH = 120
const NOT_PRINTABLE = /[^\u0020-\u007e]+/gu

/** A format of a media that can be received, or the reason why none can. */
export type ReceivableFormat =
  | { readonly format: RtpFormat; readonly problem?: undefined }
  /** The reason in a few words on one line: `video H266/90000: RTP payloads of H266 are not supported`. */
  | { readonly format?: undefined; readonly problem: string }

/** Finds the first format of a media that can be received. */
export function receivableFormat(media: MediaDescription): ReceivableFormat {
  try {
    return firstReceivable(media)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return { problem: `${shown(media.type)} ${nameOf(media)}: ${shown(error.message, MAX_PROBLEM_LENGTH)}` }
  }
}

/** @throws {MalformedError} when a format has too many parameters */
function firstReceivable(media: MediaDescription): ReceivableFormat {
  const formats = rtpFormatsOf(media)
  const problems: string[] = []
  for (const format of formats) {
    const problem = rtpFormatProblem(format)
    if (problem === undefined) return { format }
    problems.push(problem)
  }
  const [first] = formats
  const name = first === undefined ? nameOf(media) : `${shown(first.encodingName)}/${first.clockRate}`
  return { problem: `${shown(media.type)} ${name}: ${shown(problems[0] ?? reasonOf(media), MAX_PROBLEM_LENGTH)}` }
}

/** A media as its line names it: `RTP/AVP 96`. */
function nameOf({ protocol, formats }: MediaDescription): string {
  return shown(`${protocol} ${formats.join(' ')}`)
}

function reasonOf({ protocol }: MediaDescription): string {
  return protocol.toUpperCase().includes('RTP') ? 'no rtpmap says what it is' : 'it is not carried by RTP'
}

function shown(text: string, maxLength = MAX_NAME_LENGTH): string {
  return text.slice(0, maxLength).replaceAll(NOT_PRINTABLE, ' ').trim()
}
