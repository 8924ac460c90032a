import type { Socket } from 'node:net'
import type { PluginContext } from '../../plugin/context.ts'
import type { RoutedRequest } from '../request.ts'
import { serveHttp } from './http-output.ts'
import type { LiveOutput } from './live-output.ts'
import { WebSocketOutput } from './websocket-output.ts'

type UpgradeListener = (request: RoutedRequest, socket: Socket, head: Buffer) => unknown

/**
 * Plays all streams below the plugin's mounts: `GET` and `HEAD` over HTTP/1.1 and HTTP/2, and WebSocket. Sessions pass
 * the gates before they are answered, end with their connection, and end it when they are ended.
 */
export function serveLive(ctx: PluginContext<unknown>, output: LiveOutput): void {
  ctx.http.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    // The gates judge who may play; so may upgrades here, as this says what the path is.
    config: { access: 'public' },
    handler: (request, reply) => serveHttp(ctx, output, request, reply),
  })
  const webSockets = new WebSocketOutput(ctx, output)
  // The host waits for the promise, however long a viewer waits for its stream.
  const onUpgrade: UpgradeListener = (request, socket, head) => webSockets.upgrade(request, socket, head)
  ctx.http.server.on('upgrade', onUpgrade)
}
