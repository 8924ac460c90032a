import { MalformedError } from 'sluice/sdk/media'
import { RtspHeaders, type RtspHeader } from './headers.ts'
import { MAX_HEADERS } from './limits.ts'
import { parseStartLine, type StartLine } from './start-line.ts'

/** Start line and headers of a message. */
export type Head = StartLine & { readonly cseq: number | undefined; readonly headers: RtspHeaders }

const FORBIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f]/u
const NAME = /^[\w!#$%&'*+.^`|~-]+$/u
const CSEQ = /^\d{1,10}$/u
const DIGITS = /^\d{1,15}$/u

/** Puts a head together from its lines, without their ends. No error shows a value: it may be a secret. */
export class HeadBuilder {
  #startLine: StartLine | undefined
  readonly #headers: RtspHeader[] = []

  /** @throws {MalformedError} when the line is no part of a head, or there are too many */
  add(line: string): void {
    if (this.#startLine === undefined) {
      this.#startLine = parseStartLine(line)
      if (FORBIDDEN.test(line)) throw new MalformedError('control character in the first line of an RTSP message')
    } else if (FORBIDDEN.test(line)) {
      throw new MalformedError(`control character in or after RTSP header ${this.#headers.length}`)
    } else if (line.startsWith(' ') || line.startsWith('\t')) {
      this.#fold(line)
    } else {
      this.#addHeader(line)
    }
  }

  /** The head, after its last line. */
  finish(): Head {
    const headers = new RtspHeaders(this.#headers)
    const cseq = headers.get('CSeq') ?? ''
    return { ...this.#startLine!, cseq: CSEQ.test(cseq) ? Number(cseq) : undefined, headers }
  }

  #addHeader(line: string): void {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trimEnd()
    const number = this.#headers.length + 1
    if (!NAME.test(name)) throw new MalformedError(`RTSP header ${number} without a name, of ${line.length} characters`)
    if (number > MAX_HEADERS) throw new MalformedError(`more than ${MAX_HEADERS} RTSP headers`)
    this.#headers.push([name, line.slice(colon + 1).trim()])
  }

  /** A line that begins with white space goes on with the value of the header before (RFC 2326 4.2). */
  #fold(line: string): void {
    const last = this.#headers.pop()
    if (last === undefined) throw new MalformedError('white space before the first RTSP header')
    this.#headers.push([last[0], `${last[1]} ${line.trim()}`.trim()])
  }
}

/**
 * The size of the body that follows (RFC 2326 12.14); 0 where there is no Content-Length.
 * @throws {MalformedError} when it is no number, there are several different ones, or it is more than the limit
 */
export function bodySizeBytes({ headers }: Head, maxBodyBytes: number): number {
  const [length, ...others] = headers.getAll('Content-Length')
  if (length === undefined) return 0
  if (!DIGITS.test(length)) throw new MalformedError(`Content-Length of ${length.length} characters that is no number`)
  if (others.some((other) => other !== length)) throw new MalformedError('two different values of Content-Length')
  if (Number(length) > maxBodyBytes) throw new MalformedError(`RTSP body of ${length} bytes, above ${maxBodyBytes}`)
  return Number(length)
}
