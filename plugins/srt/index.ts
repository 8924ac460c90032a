import { definePlugin } from 'sluice/sdk'
import { providePull } from './client/pull.ts'
import { providePush } from './client/push.ts'
import { SrtConfig } from './config.ts'
import { Connections } from './connections.ts'
import { SrtListener } from './listener.ts'
import { addOperations } from './operations.ts'

export default definePlugin({
  name: 'srt',
  version: '1.0.0',
  sdk: '^1',
  description: 'Takes, plays, pulls and pushes streams over SRT',
  provides: ['pull:srt', 'push:srt'],
  protocol: { number: 3, schemes: { srt: {} } },
  config: SrtConfig,
  live: ['passphrase', 'passphrases', 'latency', 'maxbw', 'publish', 'subscribe'],
  closingNotice: true,
  endpoints: ({ listenaddr }) => {
    const port = listenaddr.slice(listenaddr.lastIndexOf(':') + 1)
    const addresses = (mode: string) =>
      listenaddr === '' ? [] : [`srt://{hostName}:${port}?streamid=${mode}:/{streamPath}`]
    return { pushAddr: addresses('publish'), playAddr: addresses('subscribe') }
  },
  async setup(ctx) {
    const connections = new Connections(ctx)
    const listener = new SrtListener(ctx, connections)
    providePull(ctx, connections)
    providePush(ctx, connections)
    addOperations(ctx, connections.list)
    ctx.onDispose(() => listener.close({ code: 'unloaded', text: 'the plugin is stopping' }))
    await listener.open()
  },
})
