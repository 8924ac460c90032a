import {
  definePlugin,
  InvalidRequest,
  PublishConfig,
  StreamExists,
  StreamPath,
  StreamUnavailable,
  Type,
} from 'sluice/sdk'

/** Fetches the cameras that an operator names. While the studio is closed, viewers begin no pulls of them. */
export default definePlugin({
  name: 'studio',
  version: '1.0.0',
  setup(ctx) {
    const { operations } = ctx
    const { pulls } = ctx.jobs
    const studio = ctx.keep('studio', () => ({ isOpen: true }))

    // It is asked before all others. A pull that was fetched continues, also when this plugin is replaced.
    pulls.addSource(
      {
        match(streamPath) {
          const isFetched = pulls.get(streamPath)?.wish.origin === 'studio'
          const isClosed = streamPath.startsWith('cam/') && !studio.isOpen
          return isFetched || isClosed ? null : undefined
        },
      },
      { stage: -20 },
    )

    operations.add({
      method: 'POST',
      path: 'open',
      summary: 'Opens or closes the studio',
      body: Type.Object({ isOpen: Type.Boolean() }),
      handle: ({ body: { isOpen } }) => void (studio.isOpen = isOpen),
    })

    operations.add({
      method: 'POST',
      path: 'fetch/{streamPath}',
      summary: 'Fetches a camera, and answers when it is there',
      params: Type.Object({ streamPath: StreamPath() }),
      body: Type.Object({ url: Type.String(), pauseTimeout: Type.Optional(Type.String()) }),
      answer: Type.Object({ steps: Type.Array(Type.String()) }),
      async handle({ params: { streamPath }, body: { url, pauseTimeout = '30s' } }) {
        const plugin = pulls.protocolOf(url)
        if (plugin === undefined) throw new InvalidRequest('no plugin pulls such an address')
        if (pulls.get(streamPath)?.ending === false) throw new StreamExists()
        const pausetimeout = ctx.readConfigText('pauseTimeout', pauseTimeout, PublishConfig.properties.pausetimeout)
        const rule = {
          url,
          loop: 0,
          maxretry: 0,
          retryinterval: 1000,
          proxy: '',
          header: {},
          args: {},
          testmode: 0 as const,
        }
        const publish = { pausetimeout }
        const pull = pulls.start({ plugin, streamPath, rule, publish, args: {}, isLasting: true, origin: 'studio' })
        if (pull === undefined) throw new StreamUnavailable('the server is stopping')
        await pull.begun
        return { steps: pull.steps.list.map(({ name }) => name) }
      },
    })
  },
})
