import { MalformedError } from 'sluice/sdk/media'

/** The content type of messages that control playback, in INFO (GB/T 28181-2022 9.8 and annex B). */
export const MANSRTSP_CONTENT_TYPE = 'Application/MANSRTSP'

/** The largest message that is read. */
export const MAX_TEXT_LENGTH = 4096

/** The position to play from: the present one, or so many seconds behind the beginning of what was asked for. */
export type MansrtspStart = 'now' | number

export type MansrtspRequest = {
  readonly kind: 'request'
  readonly method: 'PLAY' | 'PAUSE' | 'TEARDOWN'
  /** Counts on its own, apart from that of SIP. */
  readonly cseq: number
  /** With PLAY: so many times as fast; negative is backwards. Without it, the speed stays. */
  readonly scale?: number | undefined
  /** With PLAY. Without it, it goes on where it is. */
  readonly start?: MansrtspStart | undefined
}

export type MansrtspResponse = {
  readonly kind: 'response'
  /** 100–599. */
  readonly status: number
  readonly reason: string
  readonly cseq: number
  /** The first packet of the new place. */
  readonly rtpInfo?: { readonly sequence: number | undefined; readonly timestamp: number | undefined } | undefined
}

/** A message of MANSRTSP (annex B). */
export type MansrtspMessage = MansrtspRequest | MansrtspResponse

/** The standard of 2011 writes `MANSRTSP/1.0`, those since then `RTSP/1.0`, which devices of all read. */
const PROTOCOL = 'RTSP/1.0'
const REQUEST_LINE = /^(PLAY|PAUSE|TEARDOWN)\s+(?:\S+\s+)?(?:MANS)?RTSP\/1\.0$/iu
const STATUS_LINE = /^(?:MANS)?RTSP\/1\.0\s+([1-5]\d\d)(?:\s+(.*))?$/iu

/** Writes a message. */
export function serializeMansrtsp(message: MansrtspMessage): string {
  const lines = message.kind === 'request' ? requestLines(message) : responseLines(message)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/**
 * Reads a message, with any ends of lines, and names in any case.
 * @throws {MalformedError} when it is none, too large, or has no CSeq
 */
export function parseMansrtsp(text: string): MansrtspMessage {
  if (text.length > MAX_TEXT_LENGTH) throw new MalformedError(`MANSRTSP of more than ${MAX_TEXT_LENGTH} characters`)
  const [first = '', ...lines] = text.trim().split(/\s*[\r\n]+\s*/u)
  const fields = new Map(
    lines.flatMap((line): [string, string][] => {
      const [, name, value] = /^([\w-]+)\s*:\s*(.*)$/u.exec(line) ?? []
      return name === undefined ? [] : [[name.toLowerCase(), value!]]
    }),
  )
  const cseq = /^\d{1,10}$/u.exec(fields.get('cseq') ?? '')?.[0]
  if (cseq === undefined) throw new MalformedError('MANSRTSP without a CSeq')
  return parseRequest(first, Number(cseq), fields) ?? parseResponse(first, Number(cseq), fields) ?? noMessage()
}

function requestLines({ method, cseq, scale, start }: MansrtspRequest): string[] {
  return [
    `${method} ${PROTOCOL}`,
    `CSeq: ${cseq}`,
    ...(scale === undefined ? [] : [`Scale: ${scale}`]),
    ...(start === undefined ? [] : [`Range: npt=${start}-`]),
    ...(method === 'PAUSE' ? ['PauseTime: now'] : []),
  ]
}

function responseLines({ status, reason, cseq, rtpInfo }: MansrtspResponse): string[] {
  const parameters = [
    ...(rtpInfo?.sequence === undefined ? [] : [`seq=${rtpInfo.sequence}`]),
    ...(rtpInfo?.timestamp === undefined ? [] : [`rtptime=${rtpInfo.timestamp}`]),
  ]
  return [
    `${PROTOCOL} ${status} ${reason}`,
    `CSeq: ${cseq}`,
    ...(rtpInfo === undefined ? [] : [`RTP-Info: ${parameters.join(';')}`]),
  ]
}

type Fields = ReadonlyMap<string, string>

function parseRequest(line: string, cseq: number, fields: Fields): MansrtspRequest | undefined {
  const name = REQUEST_LINE.exec(line)?.[1]?.toUpperCase()
  const method = (['PLAY', 'PAUSE', 'TEARDOWN'] as const).find((each) => each === name)
  if (method === undefined) return undefined
  return { kind: 'request', method, cseq, scale: scaleOf(fields.get('scale')), start: startOf(fields.get('range')) }
}

function parseResponse(line: string, cseq: number, fields: Fields): MansrtspResponse | undefined {
  const [, status, reason = ''] = STATUS_LINE.exec(line) ?? []
  if (status === undefined) return undefined
  const info = fields.get('rtp-info')
  const numberOf = (pattern: RegExp) => {
    const digits = pattern.exec(info ?? '')?.[1]
    return digits === undefined ? undefined : Number(digits)
  }
  const rtpInfo = { sequence: numberOf(/\bseq=(\d{1,10})/iu), timestamp: numberOf(/\brtptime=(\d{1,10})/iu) }
  return { kind: 'response', status: Number(status), reason, cseq, rtpInfo: info === undefined ? undefined : rtpInfo }
}

function noMessage(): never {
  throw new MalformedError('MANSRTSP without a start line')
}

function scaleOf(text: string | undefined): number | undefined {
  const scale = text !== undefined && /^[+-]?\d{1,3}(?:\.\d{0,6})?$/u.test(text) ? Number(text) : 0
  return scale === 0 ? undefined : scale
}

function startOf(range: string | undefined): MansrtspStart | undefined {
  const [, text] = /^npt\s*=\s*(now|\d{1,9}(?:\.\d{0,6})?)\s*-/iu.exec(range ?? '') ?? []
  if (text === undefined) return undefined
  return text.toLowerCase() === 'now' ? 'now' : Number(text)
}
