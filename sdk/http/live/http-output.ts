import type { OutgoingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PluginContext } from '../../plugin/context.ts'
import { socketSink } from '../../stream/sink.ts'
import type { LiveOutput } from './live-output.ts'
import { bind, subscribe } from './live-session.ts'
import type { Subscriber } from '../../stream/subscriber.ts'
import { carrierOf } from '../request.ts'
import { takeOver } from '../take-over.ts'

/** `GET` and `HEAD`: a file of unknown length, which ends with the connection, or with its stream in HTTP/2. */
export async function serveHttp(
  ctx: PluginContext<unknown>,
  output: LiveOutput,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { extension } = output
  const offer = { extension, accept: (asking: Subscriber) => output.contentType(asking) }
  const { subscriber, accepted: contentType } = await subscribe(ctx, offer, request.raw)
  // HTTP/2, which knows no such header, is spared it by the host.
  const headers = { 'content-type': contentType, 'cache-control': 'no-store', connection: 'close' }
  if (request.method === 'HEAD') {
    subscriber.close('head')
    return reply.headers(headers).send()
  }
  const carrier = await takeOverFor(subscriber, reply, headers)
  bind(ctx, request.raw, subscriber, () => carrier.end())
  if (!carrier.destroyed) subscriber.attach(output.format, socketSink(carrier))
  return reply
}

/** A head that can't be sent, as with a content type that is none, ends the session and what would have carried it. */
async function takeOverFor(subscriber: Subscriber, reply: FastifyReply, headers: OutgoingHttpHeaders): Promise<Duplex> {
  try {
    return await takeOver(reply, 200, headers)
  } catch (error) {
    subscriber.close('failed')
    carrierOf(reply.request.raw).destroy()
    throw error
  }
}
