import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Logger } from 'pino'
import { SluiceError, StreamUnavailable } from 'sluice/sdk'
import { answerPart, errorReply, type AnyOperation, type HandledInput } from 'sluice/sdk/host'
import { requestClient, type RoutedRequest } from 'sluice/sdk/http'
import type { PeerAnswer, PeerCall } from '../peers/peers.ts'

/** Makes the call that asks another process for an operation. */
export function callOf(
  plugin: string | undefined,
  { method, path }: AnyOperation,
  { params, query, body, user, request }: HandledInput,
): PeerCall {
  const { ip, port } = requestClient(request)
  return {
    ...(plugin !== undefined && { plugin }),
    method,
    path,
    input: { params, query, body, user },
    request: { url: request.url ?? '/', headers: { ...request.headers }, ip, port },
  }
}

/**
 * Answers the call of another process.
 * @param operation the operation that is called; undefined where this process does not have it
 */
export async function answerCall(
  log: Logger,
  operation: AnyOperation | undefined,
  { plugin, method, path, input, request }: PeerCall,
  signal: AbortSignal,
): Promise<PeerAnswer> {
  try {
    if (operation === undefined) throw new StreamUnavailable(`${plugin ?? 'the server'} does not answer this here`)
    // The other process has read the input by the schemas of the same operation.
    const given = { ...input, request: requestOf(request), signal } as HandledInput
    const answer = await operation.handle(given)
    return answerPart(operation, answer, given.query)
  } catch (error) {
    const { statusCode, headers, body, unexpected } = errorReply(error)
    if (unexpected) log.error({ err: error, operation: `${method} ${path}` }, 'the request of another process failed')
    const code = error instanceof SluiceError ? error.code : 'INTERNAL'
    return { error: { code, statusCode, message: body.message, headers } }
  }
}

/** A request as handlers read it: its headers, and the client that sent it. */
function requestOf({ url, headers, ip, port }: PeerCall['request']): RoutedRequest {
  return Object.assign(new IncomingMessage(new Socket()), { url, headers, forwarded: { ip, port } })
}
