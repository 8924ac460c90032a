import type { FastifyReply, FastifyRequest } from 'fastify'
import { socketSink, type PluginContext } from 'sluice/sdk'
import { FLV_FORMAT } from './flv-muxer.ts'
import { bind, subscribe } from './session.ts'

const HEADERS = { 'content-type': 'video/x-flv', 'cache-control': 'no-store', connection: 'close' }

/** `GET` and `HEAD`: an FLV of unknown length, ended by closing the connection. */
export async function serveHttpFlv(
  ctx: PluginContext<unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const subscriber = await subscribe(ctx, request.raw)
  if (request.method === 'HEAD') {
    subscriber.close('head')
    return reply.headers(HEADERS).send()
  }
  reply.hijack()
  const response = reply.raw
  // Without chunks, a viewer gets the very bytes the muxer made, and they are written to its socket directly.
  response.useChunkedEncodingByDefault = false
  response.shouldKeepAlive = false
  response.writeHead(200, HEADERS)
  response.flushHeaders()
  const { socket } = request.raw
  socket.setTimeout(0)
  socket.setNoDelay(true)
  bind(ctx, request.raw, subscriber, () => response.end())
  if (!socket.destroyed) subscriber.attach(FLV_FORMAT, socketSink(socket))
  return reply
}
