import { addRecordingOperations, addressTemplates, definePlugin } from 'sluice/sdk'
import { serveLive } from 'sluice/sdk/http'
import { FLV_FORMAT } from 'sluice/sdk/media'
import { serveDownloads } from './download/flv-download.ts'
import { registerPull } from './pull/flv-pull.ts'
import { createFlvRecords } from './record/record-service.ts'

export default definePlugin({
  name: 'flv',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays streams as FLV over HTTP and WebSocket, pulls and records them; plays FLV files',
  mounts: ['flv', 'hdl'],
  provides: ['pull:flv', 'record:flv'],
  protocol: { number: 6, endings: ['.flv'] },
  // Recordings are pulled at their own pace.
  defaults: { publish: { speed: 1 } },
  endpoints: ({ http }) => ({ playAddr: addressTemplates(http, '/flv/{streamPath}.flv', ['http', 'ws']) }),
  setup(ctx) {
    registerPull(ctx)
    ctx.services.provide('record:flv', createFlvRecords(ctx.log))
    addRecordingOperations(ctx, 'flv')
    serveDownloads(ctx)
    serveLive(ctx, {
      extension: 'flv',
      format: FLV_FORMAT,
      contentType: () => 'video/x-flv',
    })
  },
})
