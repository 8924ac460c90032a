import type { Socket } from 'node:net'
import type { PluginContext } from '../../plugin/context.ts'
import type { RoutedRequest } from '../request.ts'
import { frameBinaryMessage } from '../websocket-frame.ts'
import { serveHttp } from './http-output.ts'
import type { LiveOutput, SocketOutput } from './live-output.ts'
import { WebSocketOutput } from './websocket-output.ts'

/** RFC 9110 15.5.22. */
const UPGRADE_REQUIRED = 426

type UpgradeListener = (request: RoutedRequest, socket: Socket, head: Buffer) => unknown

/**
 * Plays all streams below the plugin's mounts: `GET` and `HEAD` over HTTP/1.1 and HTTP/2, and WebSocket. Sessions pass
 * the gates before they are answered, end with their connection, and end it when they are ended.
 */
export function serveLive(ctx: PluginContext<unknown>, output: LiveOutput): void {
  ctx.http.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    // The route is public, as the gates decide on plays; it makes upgrades of its paths public, too.
    config: { access: 'public' },
    handler: (request, reply) => serveHttp(ctx, output, request, reply),
  })
  const { extension, format, webSocketFrame = frameBinaryMessage } = output
  const socketOutput: SocketOutput = {
    extension,
    accept: (subscriber) => void output.contentType(subscriber),
    play: (subscriber, sink) => subscriber.attach(format, sink),
  }
  serveUpgrades(ctx, new WebSocketOutput(ctx, socketOutput, webSocketFrame))
}

/**
 * Plays all streams below the plugin's mounts over WebSocket alone, as {@link serveLive} does, with bytes that the plugin
 * makes. A request that is no upgrade is answered with 426.
 */
export function serveWebSocket(ctx: PluginContext<unknown>, output: SocketOutput): void {
  ctx.http.get('/*', { config: { access: 'public' } }, (_request, reply) =>
    reply.code(UPGRADE_REQUIRED).headers({ upgrade: 'websocket' }).send('this address is one for WebSocket'),
  )
  serveUpgrades(ctx, new WebSocketOutput(ctx, output))
}

function serveUpgrades(ctx: PluginContext<unknown>, webSockets: WebSocketOutput): void {
  // The host waits for the promise, however long a viewer waits for its stream.
  const onUpgrade: UpgradeListener = (request, socket, head) => webSockets.upgrade(request, socket, head)
  ctx.http.server.on('upgrade', onUpgrade)
}
