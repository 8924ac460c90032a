/** The start of one RTP stream, an entry of header `RTP-Info` (RFC 2326 12.33). */
export type RtpInfo = {
  /** The URL of the track as sent, so it may be relative. */
  readonly url: string
  /** Sequence number of the first packet, 16 bits; undefined when it is missing or invalid. */
  readonly sequenceNumber?: number
  /** RTP time of the start of the range, 32 bits; undefined when it is missing or invalid. */
  readonly rtpTime?: number
}

/** URLs have commas and semicolons in them, so an entry goes to where the next one begins. */
const ENTRY = /(?:^|,)\s*url\s*=\s*/giu
const PARAMETER = /;\s*(seq|rtptime|ssrc)\s*=\s*([^;,\s]*)\s*/giu
const MAX_SEQUENCE_NUMBER = 0xffff
const MAX_RTP_TIME = 0xffffffff

/** Parses the header; malformed entries are left out. */
export function parseRtpInfo(text: string): RtpInfo[] {
  const starts = [...text.matchAll(ENTRY)]
  return starts.map((start, i) => parseEntry(text.slice(start.index + start[0].length, starts[i + 1]?.index)))
}

/** Writes the header. */
export function serializeRtpInfo(entries: readonly RtpInfo[]): string {
  return entries.map(serializeEntry).join(',')
}

function parseEntry(text: string): RtpInfo {
  const parameters = [...text.matchAll(PARAMETER)]
  const url = text
    .slice(0, parameters[0]?.index)
    .trim()
    .replace(/^"(.*)"$/u, '$1')
  const sequenceNumber = parseNumber(parameters, 'seq', MAX_SEQUENCE_NUMBER)
  const rtpTime = parseNumber(parameters, 'rtptime', MAX_RTP_TIME)
  return { url, ...(sequenceNumber !== undefined && { sequenceNumber }), ...(rtpTime !== undefined && { rtpTime }) }
}

function parseNumber(parameters: readonly RegExpExecArray[], name: string, max: number): number | undefined {
  const text = parameters.find((parameter) => parameter[1]?.toLowerCase() === name)?.[2] ?? ''
  const value = /^\d{1,10}$/u.test(text) ? Number(text) : max + 1
  return value > max ? undefined : value
}

function serializeEntry({ url, sequenceNumber, rtpTime }: RtpInfo): string {
  const seq = sequenceNumber === undefined ? '' : `;seq=${sequenceNumber}`
  return `url=${url}${seq}${rtpTime === undefined ? '' : `;rtptime=${rtpTime}`}`
}
