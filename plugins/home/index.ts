import { definePlugin, Type } from 'sluice/sdk'
import { servePageFiles } from './page-files.ts'
import { consoleFor } from './console-for.ts'
import { needsKey, shownAddresses, type VisitorView } from './visitor-view.ts'

const HomeConfig = Type.Object({
  streampath: Type.String({
    default: 'live/demo',
    description: 'What the page plays while it is published and nobody chose another stream; empty is nothing',
  }),
})

export default definePlugin({
  name: 'home',
  version: '1.0.0',
  sdk: '^1',
  description: 'The page at /, which plays streams and tells how to publish',
  mounts: ['home', ''],
  config: HomeConfig,
  live: ['streampath', 'enableauth', 'subscribe', 'signed_policy'],
  setup(ctx) {
    servePageFiles(ctx.http, (request) => consoleFor(request, ctx.services))
    ctx.http.get('/addresses', { config: { access: 'public' } }, (request, reply) => {
      const { config, services, streams } = ctx
      const server = services.get('server')
      const endpoints = server?.endpoints() ?? []
      const playNeedsKey = needsKey(config)
      const playsAtOnce = !playNeedsKey && streams.get(config.streampath) !== undefined
      const view: VisitorView = {
        administration: server?.mayAdminister(request.raw) ?? false,
        console: consoleFor(request.raw, services) ?? '',
        playNeedsKey,
        streamPath: playsAtOnce ? config.streampath : '',
        publish: shownAddresses(endpoints, 'pushAddr', config.http),
        play: shownAddresses(endpoints, 'playAddr', config.http),
      }
      return reply.header('cache-control', 'no-store').send(view)
    })
  },
})
