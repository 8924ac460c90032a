import { tryParse } from 'sluice/sdk/media'
import { parseSipAddress, parseSipUri, serializeSipUri, splitValues, type SipUri } from './address.ts'
import type { SipFlow } from './flow.ts'
import type { SipMessage, SipRequest, SipResponse } from './message.ts'
import { cseqOf, randomName, tagOf } from './requests.ts'
import { createRequest, type SipContent, type SipRequestInit } from './user-agent.ts'

/** The state of a dialog, as plain data that outlives a generation of the plugin. */
export type SipDialogState = {
  readonly callId: string
  readonly localTag: string
  readonly remoteTag: string
  /** URIs as texts. */
  readonly localUri: string
  readonly remoteUri: string
  readonly target: string
  readonly routes: readonly string[]
  readonly cseq: number
}

type Named = { readonly uri: SipUri; readonly tag: string }

/** A dialog (RFC 3261 12): requests that belong together, after an INVITE or SUBSCRIBE of this server was answered, or one of a peer. */
export class SipDialog {
  readonly callId: string
  readonly #local: Named
  readonly #remote: Named
  readonly #target: SipUri
  readonly #routes: readonly string[]
  #cseq: number

  private constructor(init: {
    callId: string
    local: Named
    remote: Named
    target: SipUri
    routes: readonly string[]
    cseq: number
  }) {
    this.callId = init.callId
    this.#local = init.local
    this.#remote = init.remote
    this.#target = init.target
    this.#routes = init.routes
    this.#cseq = init.cseq
  }

  /**
   * The dialog of a request that the peer has answered with 2xx.
   * @throws {MalformedError} when From or To is none
   */
  static ofAnswer(request: SipRequest, response: SipResponse): SipDialog {
    const from = parseSipAddress(request.headers.get('From') ?? '')
    const to = parseSipAddress(response.headers.get('To') ?? '')
    return new SipDialog({
      callId: request.headers.get('Call-ID') ?? '',
      local: { uri: from.uri, tag: from.tag ?? '' },
      // Some devices leave the tag out.
      remote: { uri: to.uri, tag: to.tag ?? '' },
      target: targetOf(response, parseSipUri(request.uri)),
      routes: routesOf(response).toReversed(),
      cseq: cseqOf(request.headers)?.number ?? 0,
    })
  }

  /**
   * The dialog of a request that this server answers with 2xx.
   * @param localTag the tag of the answer
   * @throws {MalformedError} when From or To is none
   */
  static ofRequest(request: SipRequest, localTag: string): SipDialog {
    const from = parseSipAddress(request.headers.get('From') ?? '')
    const to = parseSipAddress(request.headers.get('To') ?? '')
    return new SipDialog({
      callId: request.headers.get('Call-ID') ?? '',
      local: { uri: to.uri, tag: localTag },
      remote: { uri: from.uri, tag: from.tag ?? '' },
      target: targetOf(request, from.uri),
      routes: routesOf(request),
      cseq: 0,
    })
  }

  /** @throws {MalformedError} when it has no URIs of SIP */
  static restore(state: SipDialogState): SipDialog {
    return new SipDialog({
      callId: state.callId,
      local: { uri: parseSipUri(state.localUri), tag: state.localTag },
      remote: { uri: parseSipUri(state.remoteUri), tag: state.remoteTag },
      target: parseSipUri(state.target),
      routes: state.routes,
      cseq: state.cseq,
    })
  }

  get state(): SipDialogState {
    return {
      callId: this.callId,
      localTag: this.#local.tag,
      remoteTag: this.#remote.tag,
      localUri: serializeSipUri(this.#local.uri),
      remoteUri: serializeSipUri(this.#remote.uri),
      target: serializeSipUri(this.#target),
      routes: this.#routes,
      cseq: this.#cseq,
    }
  }

  /** True when a request of the peer belongs to it. Tags that the peer leaves out are not compared. */
  owns({ headers }: SipRequest): boolean {
    if (headers.get('Call-ID') !== this.callId) return false
    const isSame = (name: 'From' | 'To', tag: string) => (tagOf(headers, name) ?? tag) === tag || tag === ''
    return isSame('From', this.#remote.tag) && isSame('To', this.#local.tag)
  }

  /** The next request in the dialog. */
  request(method: string, flow: SipFlow, more: Pick<SipRequestInit, 'headers' | 'content'> = {}): SipRequest {
    this.#cseq += 1
    return this.#create(method, this.#cseq, flow, more)
  }

  /** The ACK of the INVITE that made it, or of the last one in it. */
  acknowledge(flow: SipFlow, content?: SipContent): SipRequest {
    return this.#create('ACK', this.#cseq, flow, { content })
  }

  #create(method: string, cseq: number, flow: SipFlow, more: Pick<SipRequestInit, 'headers' | 'content'>): SipRequest {
    return createRequest({
      ...more,
      method,
      uri: this.#target,
      from: this.#local.uri,
      fromTag: this.#local.tag,
      to: this.#remote.uri,
      toTag: this.#remote.tag === '' ? undefined : this.#remote.tag,
      callId: this.callId,
      cseq,
      flow,
      routes: this.#routes,
    })
  }
}

/** A name for a call that no other has. */
export function newCallId(flow: SipFlow): string {
  return `${randomName()}@${flow.local.host}`
}

/** The URI by which the peer wants to be reached; that of the request where it gives none. */
function targetOf({ headers }: SipMessage, otherwise: SipUri): SipUri {
  const [contact] = splitValues(headers.get('Contact') ?? '')
  return tryParse(parseSipAddress, contact)?.uri ?? otherwise
}

function routesOf({ headers }: SipMessage): string[] {
  return headers.all('Record-Route').flatMap(splitValues)
}
