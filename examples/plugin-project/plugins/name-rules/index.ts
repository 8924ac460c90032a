import { definePlugin, Type } from 'sluice/sdk'
import { RefusedPaths } from './refused-paths.ts'

export default definePlugin({
  name: 'name-rules',
  version: '1.0.0',
  sdk: '^1',
  description: 'Lets in publishers whose stream path follows a pattern',
  config: Type.Object({
    pattern: Type.String({ default: '', description: 'Regular expression for stream paths; empty allows all' }),
  }),

  setup({ config, hooks, http, log }) {
    const pattern = new RegExp(config.pattern, 'u')
    const refused = new RefusedPaths()

    hooks.on('publish', ({ streamPath, client }) => {
      if (pattern.test(streamPath)) return
      refused.add(streamPath)
      log.info({ stream: streamPath, ip: client.ip }, 'a path breaks the pattern')
      throw new Error(`the path must match ${config.pattern}`)
    })

    // The route is at /name-rules/refused.
    http.get('/refused', () => refused.list())
  },
})
