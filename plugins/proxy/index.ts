import { definePlugin } from 'sluice/sdk'
import { addProxyOperations } from './api/proxy-operations.ts'
import { PROXY_MIGRATIONS } from './kept/proxy-tables.ts'
import { Proxies } from './proxies.ts'
import { recordBy } from './recorded-proxies.ts'

export default definePlugin({
  name: 'proxy',
  version: '1.0.0',
  sdk: '^1',
  description: 'Looks after sources and targets, and pulls and pushes streams when they are there',
  pages: [
    {
      title: 'Proxies',
      titles: { zh: '代理' },
      group: 'devices',
      icon: '/pages/proxies.svg',
      module: new URL('pages/proxies.tsx', import.meta.url),
    },
  ],
  tables: PROXY_MIGRATIONS,
  formerNames: { migrations: 'proxy', tables: ['sluice_pull_proxy', 'sluice_push_proxy'] },
  processes: 'one',
  // The plugins that pull and push recognize the addresses of proxies, so they start before.
  startsLast: true,
  async setup(ctx) {
    const proxies = new Proxies(ctx)
    recordBy((streamPath) => proxies.pulls.recordingOf(streamPath), ctx)
    addProxyOperations(ctx.operations, proxies)
    await proxies.start()
  },
})
