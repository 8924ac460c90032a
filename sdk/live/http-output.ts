import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PluginContext } from '../plugin/context.ts'
import { socketSink } from '../stream/socket-sink.ts'
import type { LiveOutput } from './live-output.ts'
import { bind, carrierOf, subscribe } from './live-session.ts'

/** `GET` and `HEAD`: a file of unknown length, which ends with the connection, or with its stream in HTTP/2. */
export async function serveHttp(
  ctx: PluginContext<unknown>,
  output: LiveOutput,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { subscriber, contentType } = await subscribe(ctx, output, request.raw)
  const headers = { 'content-type': contentType, 'cache-control': 'no-store' }
  const { socket, httpVersionMajor } = request.raw
  const ownsConnection = httpVersionMajor === 1
  if (ownsConnection) Object.assign(headers, { connection: 'close' })
  if (request.method === 'HEAD') {
    subscriber.close('head')
    return reply.headers(headers).send()
  }
  reply.hijack()
  const response = reply.raw
  if (ownsConnection) {
    // Without chunks, a viewer gets the very bytes the muxer made, and they are written to its socket directly.
    response.useChunkedEncodingByDefault = false
    response.shouldKeepAlive = false
    socket.setTimeout(0)
    socket.setNoDelay(true)
  }
  response.writeHead(200, headers)
  response.flushHeaders()
  const carrier = carrierOf(request.raw)
  bind(ctx, request.raw, subscriber, () => response.end())
  if (!carrier.destroyed) subscriber.attach(output.format, socketSink(carrier))
  return reply
}
