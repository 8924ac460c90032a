import { hostPort, serializeSipAddress, type SipUri } from './address.ts'
import type { SipFlow } from './flow.ts'
import { SipHeaders } from './headers.ts'
import type { SipRequest } from './message.ts'
import { BRANCH_COOKIE, randomName } from './requests.ts'

const NO_BODY: Buffer = Buffer.alloc(0)
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()
const MAX_FORWARDS = 70

/** The body of a message, and what it is. */
export type SipContent = { readonly type: string; readonly body: Buffer }

export type SipRequestInit = {
  readonly method: string
  /** Whom it is for: a device, a channel or a platform. */
  readonly uri: SipUri
  readonly from: SipUri
  readonly fromTag: string
  readonly to: SipUri
  readonly toTag?: string | undefined
  readonly callId: string
  readonly cseq: number
  readonly flow: SipFlow
  /** The route set of the dialog. */
  readonly routes?: readonly string[]
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly content?: SipContent | undefined
}

/** A URI of SIP without parameters. */
export function sipUri(user: string, host: string, port?: number): SipUri {
  return { scheme: 'sip', user, host, port, parameters: NO_PARAMETERS }
}

/** A request with a branch of its own (RFC 3261 8.1.1), for the way that it takes. */
export function createRequest(init: SipRequestInit): SipRequest {
  const { method, uri, from, fromTag, to, toTag, callId, cseq, flow, routes = [], headers = [], content } = init
  const fields: (readonly [string, string])[] = [
    ['Via', viaOf(flow)],
    ['From', serializeSipAddress(from, fromTag)],
    ['To', serializeSipAddress(to, toTag)],
    ['Call-ID', callId],
    ['CSeq', `${cseq} ${method}`],
    ['Contact', contactOf(from.user, flow)],
    ['Max-Forwards', String(MAX_FORWARDS)],
    ...routes.map((route): [string, string] => ['Route', route]),
    ...headers,
    ...(content === undefined ? [] : ([['Content-Type', content.type]] as const)),
  ]
  return {
    kind: 'request',
    method,
    uri: serializeUri(uri),
    headers: new SipHeaders(fields),
    body: content?.body ?? NO_BODY,
  }
}

/** The Contact by which a peer reaches a user of this server. */
function contactOf(user: string, { local, transport }: SipFlow): string {
  const parameters = transport === 'UDP' ? NO_PARAMETERS : new Map([['transport', transport.toLowerCase()]])
  return serializeSipAddress({ ...sipUri(user, local.host, local.port), parameters })
}

function viaOf({ transport, local }: SipFlow): string {
  return `SIP/2.0/${transport} ${hostPort(local.host, local.port)};rport;branch=${BRANCH_COOKIE}${randomName()}`
}

function serializeUri(uri: SipUri): string {
  return serializeSipAddress(uri).slice(1, -1)
}
