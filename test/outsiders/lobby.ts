import { definePlugin, StreamPath, Type } from 'sluice/sdk'

/** Has viewers of a show wait in a lobby until an operator opens it. */
export default definePlugin({
  name: 'lobby',
  version: '1.0.0',
  config: Type.Object({
    shows: Type.String({ default: 'show/', description: 'How the paths of shows begin' }),
    lobby: Type.String({ default: 'lobby/loop' }),
  }),
  setup(ctx) {
    const { config, hooks, operations, streams } = ctx
    const open = ctx.keep('open', () => new Set<string>())
    const isClosed = (path: string) => path.startsWith(config.shows) && !open.has(path)

    // The hook answers at once, for each subscriber. `params` is its query, which on-demand sources receive.
    hooks.on('lead', ({ streamPath, params }) =>
      isClosed(streamPath) ? { streamPath: config.lobby, params } : undefined,
    )

    operations.add({
      method: 'POST',
      path: 'open/{streamPath}',
      summary: 'Opens a show',
      params: Type.Object({ streamPath: StreamPath() }),
      handle({ params: { streamPath } }) {
        open.add(streamPath)
        const waiting = streams.subscribers().filter((viewer) => viewer.streamPath === streamPath)
        const ids = waiting.map(({ id }) => id)
        // The viewers of the lobby stay there until the show has a keyframe.
        if (streams.get(streamPath) !== undefined) streams.move(ids, streamPath)
        else streams.send(ids, streamPath)
      },
    })
  },
})
