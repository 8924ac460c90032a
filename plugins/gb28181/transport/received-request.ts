import { parseSipVia, serializeSipVia, splitValues } from '../sip/address.ts'
import type { SipEndpoint } from '../sip/flow.ts'
import type { SipRequest } from '../sip/message.ts'

/** A request with what the way here has told of its sender, and where the answer goes. */
export type ReceivedRequest = { readonly request: SipRequest; readonly replyTo: SipEndpoint }

/**
 * Notes in the Via of a request where it came from (RFC 3261 18.2.1, RFC 3581 4). The answer goes back there, since many devices are
 * behind a NAT without saying so; to the port of the Via where the sender has the address that it names and does not ask for `rport`.
 * @throws {MalformedError} when it has no Via
 */
export function receivedRequest(request: SipRequest, from: SipEndpoint): ReceivedRequest {
  const [first = '', ...others] = splitValues(request.headers.get('Via') ?? '')
  const via = parseSipVia(first)
  const wantsPort = via.parameters.has('rport')
  const isOwnAddress = via.host === from.host
  const parameters = new Map(via.parameters)
  if (!isOwnAddress || wantsPort) parameters.set('received', from.host)
  if (wantsPort) parameters.set('rport', String(from.port))
  const value = [serializeSipVia({ ...via, parameters }), ...others].join(', ')
  const port = isOwnAddress && !wantsPort ? (via.port ?? from.port) : from.port
  return {
    request: { ...request, headers: request.headers.withFirst('Via', value) },
    replyTo: { host: from.host, port },
  }
}
