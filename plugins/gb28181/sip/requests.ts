import { randomBytes } from 'node:crypto'
import { parseSipAddress } from './address.ts'
import { SipHeaders } from './headers.ts'
import type { SipRequest, SipResponse } from './message.ts'
import { reasonOf } from './status.ts'

/** The beginning of each branch of RFC 3261 (8.1.1.7): what has another is matched by more than its branch. */
export const BRANCH_COOKIE = 'z9hG4bK'
const NO_BODY: Buffer = Buffer.alloc(0)

/** A name that no other has: of a branch, a tag, or a call. */
export function randomName(): string {
  return randomBytes(9).toString('hex')
}

/** The number and method of a CSeq; undefined of what is none. */
export function cseqOf(headers: SipHeaders): { readonly number: number; readonly method: string } | undefined {
  const [, number, method] = /^(\d{1,10})\s+(\S+)$/u.exec(headers.get('CSeq') ?? '') ?? []
  return number === undefined ? undefined : { number: Number(number), method: method!.toUpperCase() }
}

/** The tag of From or To; undefined without one. @throws {MalformedError} when it is no address */
export function tagOf(headers: SipHeaders, name: 'From' | 'To'): string | undefined {
  return parseSipAddress(headers.get(name) ?? '').tag
}

export type ResponseInit = {
  readonly status: number
  /** Default: the phrase of the status. */
  readonly reason?: string
  /** Joins the To where that has none, as all answers but 100 have one (RFC 3261 8.2.6.2). */
  readonly toTag?: string
  readonly headers?: Iterable<readonly [name: string, value: string]>
  readonly body?: Buffer
}

/** The answer to a request, with what goes back of it (RFC 3261 8.2.6). */
export function responseTo({ headers }: SipRequest, init: ResponseInit): SipResponse {
  const { status, reason = reasonOf(status), toTag, headers: more = [], body = NO_BODY } = init
  const back = ['Via', 'Record-Route', 'From', 'To', 'Call-ID', 'CSeq'].flatMap((name) =>
    headers.all(name).map((value): [string, string] => [name, name === 'To' ? withTag(value, toTag) : value]),
  )
  return { kind: 'response', status, reason, headers: new SipHeaders([...back, ...more]), body }
}

/** The ACK for an answer of 300 or above, which is part of the transaction of its INVITE (17.1.1.3). */
export function acknowledgementOf({ uri, headers }: SipRequest, response: SipResponse): SipRequest {
  const fields: [string, string][] = [
    ['Via', headers.get('Via') ?? ''],
    ...headers.all('Route').map((value): [string, string] => ['Route', value]),
    ['From', headers.get('From') ?? ''],
    ['To', response.headers.get('To') ?? ''],
    ['Call-ID', headers.get('Call-ID') ?? ''],
    ['CSeq', `${cseqOf(headers)?.number ?? 0} ACK`],
    ['Max-Forwards', '70'],
  ]
  return { kind: 'request', method: 'ACK', uri, headers: new SipHeaders(fields), body: NO_BODY }
}

/** The CANCEL of a request that has had no final answer (9.1). */
export function cancelOf({ uri, headers }: SipRequest): SipRequest {
  const kept = ['Via', 'Route', 'From', 'To', 'Call-ID'].flatMap((name) =>
    (name === 'Via' ? headers.all(name).slice(0, 1) : headers.all(name)).map((value): [string, string] => [
      name,
      value,
    ]),
  )
  const fields: [string, string][] = [
    ...kept,
    ['CSeq', `${cseqOf(headers)?.number ?? 0} CANCEL`],
    ['Max-Forwards', '70'],
  ]
  return { kind: 'request', method: 'CANCEL', uri, headers: new SipHeaders(fields), body: NO_BODY }
}

function withTag(to: string, tag: string | undefined): string {
  return tag === undefined || /;\s*tag\s*=/iu.test(to) ? to : `${to};tag=${tag}`
}
