import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { definePlugin } from 'sluice/sdk'
import { serveHttpFlv } from './http-flv.ts'
import { WsFlv } from './ws-flv.ts'

export default definePlugin({
  name: 'flv',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays streams as FLV over HTTP and WebSocket',
  mounts: ['flv', 'hdl'],
  endpoints: () => ({
    playAddr: ['http://{hostName}/flv/{streamPath}.flv', 'ws://{hostName}/flv/{streamPath}.flv'],
  }),
  setup(ctx) {
    ctx.http.route({
      method: ['GET', 'HEAD'],
      url: '/*',
      handler: (request, reply) => serveHttpFlv(ctx, request, reply),
    })
    const wsFlv = new WsFlv(ctx)
    ctx.http.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      void wsFlv.upgrade(request, socket, head)
    })
  },
})
