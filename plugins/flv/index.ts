import { addressTemplates, definePlugin } from 'sluice/sdk'
import { serveLive } from 'sluice/sdk/http'
import { FLV_FORMAT, WS_FLV_FORMAT } from './from-stream.ts'

export default definePlugin({
  name: 'flv',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays streams as FLV over HTTP and WebSocket',
  mounts: ['flv', 'hdl'],
  endpoints: ({ http }) => ({ playAddr: addressTemplates(http, '/flv/{streamPath}.flv', ['http', 'ws']) }),
  setup(ctx) {
    serveLive(ctx, {
      extension: 'flv',
      format: FLV_FORMAT,
      webSocketFormat: WS_FLV_FORMAT,
      contentType: () => 'video/x-flv',
    })
  },
})
