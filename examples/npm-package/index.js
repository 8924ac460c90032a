// Node does not strip types below node_modules, so a package ships JavaScript; `definePlugin` types it all the same.
import { definePlugin, Duration, Type } from 'sluice/sdk'

export default definePlugin({
  name: 'viewer-log',
  version: '1.0.0',
  sdk: '^1',
  description: 'Logs how many viewers each stream has',
  config: Type.Object({ interval: Duration({ default: '30s', description: 'Time between two log lines' }) }),

  setup(ctx) {
    ctx.setInterval(() => {
      for (const { path, subscriberCount } of ctx.streams.list())
        ctx.log.info({ stream: path, viewers: subscriberCount }, 'viewers')
    }, ctx.config.interval)
  },
})
