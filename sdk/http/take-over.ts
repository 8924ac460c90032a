import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { carrierOf } from './request.ts'

/** A response that can give its connection away, as those of the host over HTTP/1 can. */
export type GivingResponse = ServerResponse & {
  /** Sends the head; HTTP has nothing to do with the connection any more. */
  giveConnection(statusCode: number, headers: OutgoingHttpHeaders): void
}

/**
 * Answers a request with a body without end: sends the head, and returns the stream that takes the body as it is. Over HTTP/1
 * that is the connection itself, which holds nothing of HTTP from then on and costs as little as one of another protocol;
 * over HTTP/2 it is the stream of the request. Its end is the body's; neither has a timeout. Headers set before are sent,
 * too, as those of CORS. Bytes that the client still sends are thrown away. When the client left meanwhile, the stream is
 * destroyed already.
 */
export async function takeOver(reply: FastifyReply, statusCode: number, headers: OutgoingHttpHeaders): Promise<Duplex> {
  reply.hijack()
  const { raw } = reply
  const request = reply.request.raw
  if (request.httpVersionMajor === 2) {
    raw.writeHead(statusCode, headers).setTimeout(0)
    return carrierOf(request)
  }
  await turnOf(request, raw)
  const { socket } = request
  if (socket.destroyed) return socket
  const closing = { ...headers, connection: 'close' }
  if (isGiving(raw)) raw.giveConnection(statusCode, closing)
  else writeHead(raw, statusCode, closing)
  return socket
}

/** Waits until a request is over, and no other of the connection is to be answered before it. */
async function turnOf(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The socket shows below when the client leaves.
  if (!request.resume().readableEnded) await once(request, 'end').catch(() => {})
  if (request.socket.destroyed || response.socket !== null) return
  await new Promise<void>((resolve) => {
    response.once('socket', () => resolve()).once('close', resolve)
  })
}

function isGiving(response: ServerResponse): response is GivingResponse {
  return 'giveConnection' in response
}

/** Any other server than the host's leaves the connection to HTTP. */
function writeHead(response: ServerResponse, statusCode: number, headers: OutgoingHttpHeaders): void {
  response.useChunkedEncodingByDefault = false
  response.shouldKeepAlive = false
  response.writeHead(statusCode, headers)
  response.flushHeaders()
  response.req.socket.setTimeout(0)
}
