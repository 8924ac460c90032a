import { parameterOf } from './address.ts'
import type { HostPort } from './link.ts'
import { headersOf, type SipHeaders, type SipRequest, type SipResponse } from './message.ts'

/** The parts of a response that its request does not give. */
export type ResponseInit = {
  readonly headers?: SipHeaders
  readonly body?: Buffer
  /** The tag that `To` gets, where it has none. */
  readonly toTag?: string | undefined
}

const REASONS: Readonly<Record<number, string>> = {
  100: 'Trying',
  200: 'OK',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  481: 'Call/Transaction Does Not Exist',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  489: 'Bad Event',
}

/** A response with the fields of its request (RFC 3261 8.2.6.2), and where that came from (RFC 3581 4). */
export function respondTo(
  request: SipRequest,
  source: HostPort,
  status: number,
  { headers = [], body = Buffer.alloc(0), toTag }: ResponseInit,
): SipResponse {
  const vias = headersOf(request, 'Via').map((via, index): [string, string] => [
    'Via',
    index === 0 ? received(via, source) : via,
  ])
  const copied = ['From', 'To', 'Call-ID', 'CSeq', ...(status < 300 ? ['Record-Route'] : [])].flatMap((name) =>
    headersOf(request, name).map((value): [string, string] => [name, name === 'To' ? tagged(value, toTag) : value]),
  )
  return {
    kind: 'response',
    status,
    reason: REASONS[status] ?? 'Error',
    headers: [...vias, ...copied, ...headers],
    body,
  }
}

function received(via: string, { host, port }: HostPort): string {
  if (!/;\s*rport\s*(?=;|,|$)/iu.test(via)) return via
  return `${via.replace(/;\s*rport\s*(?=;|,|$)/iu, `;rport=${port}`)};received=${host}`
}

function tagged(to: string, tag: string | undefined): string {
  return tag === undefined || parameterOf(to, 'tag') !== undefined ? to : `${to};tag=${tag}`
}
