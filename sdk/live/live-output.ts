import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { PluginContext } from '../plugin/context.ts'
import type { MuxerFormat } from '../stream/muxer.ts'
import type { Subscriber } from '../stream/subscriber.ts'
import { serveHttp } from './http-output.ts'
import { WebSocketOutput } from './websocket-output.ts'

/** How streams are played as one endless file over HTTP, and as the messages of a WebSocket. */
export type LiveOutput = {
  /** How addresses may end, without the dot, for example `flv`: `/live/a.flv` and `/live/a` both ask for `live/a`. */
  readonly extension: string
  readonly format: MuxerFormat
  /** The same with whole WebSocket messages as its bytes; see `frameBinaryMessage`. */
  readonly webSocketFormat: MuxerFormat
  /**
   * The `content-type` of what a subscriber is going to get.
   * @throws {SluiceError} to refuse it, for example when the format can carry none of its tracks; it is closed then
   */
  contentType(subscriber: Subscriber): string
}

/**
 * Plays all streams below the plugin's mounts: `GET` and `HEAD` over HTTP/1.1 and HTTP/2, and WebSocket. Sessions pass
 * the gates before they are answered, end with their connection, and end it when they are ended.
 */
export function serveLive(ctx: PluginContext<unknown>, output: LiveOutput): void {
  ctx.http.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    handler: (request, reply) => serveHttp(ctx, output, request, reply),
  })
  const webSockets = new WebSocketOutput(ctx, output)
  ctx.http.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    void webSockets.upgrade(request, socket, head)
  })
}
