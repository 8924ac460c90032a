import { definePlugin, tcpConfig, Type, viewedList } from 'sluice/sdk'

/** Knows the protocols of all plugins, and speaks one of its own. */
export default definePlugin({
  name: 'atlas',
  version: '1.0.0',
  config: Type.Object({ tcp: tcpConfig({ listenaddr: ':7654' }) }),
  protocol: {
    number: 40,
    schemes: { atlas: { tcpPort: 7654 } },
    pathParts: ['chart'],
    endings: ['.map'],
    firstByte: 5,
  },
  // The others are up by then.
  startsLast: true,
  async setup(ctx) {
    const { log, operations, plugins } = ctx
    log.info({ running: plugins.list().flatMap(({ name, isRunning }) => (isRunning ? [name] : [])) }, 'set up')
    await ctx.net.tcp(ctx.config.tcp, (socket) => void socket.on('error', () => {}).end('here be dragons'))

    operations.add({
      method: 'GET',
      path: 'protocols',
      summary: 'Protocols',
      answer: Type.Array(Type.Object({ name: Type.String(), schemes: Type.Array(Type.String()) })),
      paged: true,
      handle: () =>
        viewedList(
          plugins.list().filter(({ protocol }) => protocol !== undefined),
          ({ name, protocol }) => ({ name, schemes: Object.keys(protocol?.schemes ?? {}) }),
        ),
    })

    operations.add({
      method: 'GET',
      path: 'protocol',
      summary: 'The protocol of an address',
      query: Type.Object({ url: Type.String() }),
      answer: Type.Object({ name: Type.String() }),
      handle: ({ query: { url } }) => ({ name: plugins.protocolOf(url) ?? '' }),
    })
  },
})
