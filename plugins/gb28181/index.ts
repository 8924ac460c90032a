import { definePlugin } from 'sluice/sdk'
import { Gb28181Config } from './config.ts'
import { addMetrics } from './metrics.ts'
import { addOperations } from './operations/operations.ts'
import { createPlatform } from './platform.ts'
import { GB_MIGRATIONS } from './registry/tables.ts'
import { providePull } from './streams/pull.ts'
import { addSources, pullAll } from './streams/sources.ts'

export default definePlugin({
  name: 'gb28181',
  version: '1.0.0',
  sdk: '^1',
  description: 'Takes in cameras and recorders of GB/T 28181: their streams, recordings, alarms and control',
  provides: ['pull:gb28181'],
  notices: ['alarm'],
  protocol: { number: 8, schemes: { gb28181: {} } },
  processes: 'one',
  config: Gb28181Config,
  // A stream that nobody watches is fetched a little longer, as viewers come back.
  defaults: { publish: { delayclosetimeout: '30s', idletimeout: '30s' } },
  live: [
    'password',
    'sipip',
    'mediaip',
    'keepaliveinterval',
    'keepalivecount',
    'invitetimeout',
    'position',
    'publish',
    'subscribe',
  ],
  tables: GB_MIGRATIONS,
  pages: [
    {
      title: 'Devices',
      titles: { zh: '设备' },
      group: 'devices',
      icon: '/pages/devices.svg',
      module: new URL('pages/devices.tsx', import.meta.url),
    },
  ],
  async setup(ctx) {
    const platform = await createPlatform(ctx)
    const { registry, inquiries, media, downloads, running } = platform
    providePull({ media, registry, inquiries, downloads, running })
    addSources(ctx, registry, downloads)
    addMetrics(platform)
    addOperations(platform)
    ctx.hooks.on('started', () => {
      for (const device of registry.devices) pullAll(ctx, registry, device)
    })
  },
})
