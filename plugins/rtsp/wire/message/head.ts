import { MalformedError } from 'sluice/sdk/media'
import { RtspHeaders, type RtspHeader } from './headers.ts'
import { RESPONSE_START } from './find-start.ts'
import { MAX_HEADERS } from './limits.ts'
import type { StartLine } from './start-line.ts'

/** Start line and headers of a message. */
export type Head = StartLine & { readonly cseq: number | undefined; readonly headers: RtspHeaders }

const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/u
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]+/gu
const NAME = /^[\w!#$%&'*+.^`|~-]+$/u
const CSEQ = /^\d{1,10}$/u
const DIGITS = /^\d{1,15}$/u

/** Puts a head together from its lines, without their ends. */
export class HeadBuilder {
  readonly #startLine: StartLine
  readonly #headers: RtspHeader[] = []
  /** True after a line that is not a header: its continuation lines are not headers either. */
  #isPassingOver = true

  constructor(startLine: StartLine) {
    this.#startLine = startLine
  }

  /**
   * Takes a line after the first. One that is not a header, or continues none, is ignored.
   * @returns false when it can't belong to a head: a line with binary data or a response in it shows that the head broke off
   * @throws {MalformedError} when there are too many headers. The message contains no value, which may be a secret.
   */
  add(line: string): boolean {
    if (line.startsWith(' ') || line.startsWith('\t')) return this.#fold(line)
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trimEnd()
    this.#isPassingOver = !NAME.test(name)
    if (this.#isPassingOver) return mayBePassedOver(line)
    if (this.#headers.length === MAX_HEADERS) throw new MalformedError(`more than ${MAX_HEADERS} RTSP headers`)
    this.#headers.push([name, printable(line.slice(colon + 1))])
    return true
  }

  /** The head, after its last line. */
  finish(): Head {
    const headers = new RtspHeaders(this.#headers)
    const cseq = headers.get('CSeq') ?? ''
    return { ...this.#startLine, cseq: CSEQ.test(cseq) ? Number(cseq) : undefined, headers }
  }

  /** Appends a line that begins with white space to the value of the header before (RFC 2326 4.2). */
  #fold(line: string): boolean {
    if (this.#isPassingOver) return mayBePassedOver(line)
    const [name, value] = this.#headers.pop()!
    this.#headers.push([name, `${value} ${printable(line)}`.trim()])
    return true
  }
}

function mayBePassedOver(line: string): boolean {
  return !CONTROL.test(line) && !line.includes(RESPONSE_START)
}

/** The text with blanks for control characters, such as the NUL of a C string, and without blanks around it. */
function printable(text: string): string {
  return text.replaceAll(CONTROLS, ' ').trim()
}

/**
 * The size of the body that follows (RFC 2326 12.14); 0 without a Content-Length, or with an empty one.
 * @throws {MalformedError} when it is not a number, there are several different ones, or it exceeds the limit
 */
export function bodySizeBytes({ headers }: Head, maxBodyBytes: number): number {
  const [length, ...others] = headers.getAll('Content-Length').filter((value) => value !== '')
  if (length === undefined) return 0
  if (!DIGITS.test(length)) throw new MalformedError(`Content-Length of ${length.length} characters that is no number`)
  if (others.some((other) => other !== length)) throw new MalformedError('two different values of Content-Length')
  if (Number(length) > maxBodyBytes) throw new MalformedError(`RTSP body of ${length} bytes, above ${maxBodyBytes}`)
  return Number(length)
}
