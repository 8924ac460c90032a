/** Compiled, never run: how a plugin may tap hooks, and what is a compile error. */
import { definePlugin, StreamDenied } from 'sluice/sdk'

export default definePlugin({
  name: 'hooks',
  version: '1.0.0',
  setup(ctx) {
    ctx.hooks.on('publish', (request) => {
      if (request.params['ticket'] === undefined) throw new StreamDenied('no ticket')
    })
    ctx.hooks.on('resolve', async ({ streamPath }) => streamPath.startsWith('vod/'))
    const undo: () => void = ctx.hooks.on('published', (stream) => ctx.log.info({ path: stream.path }, 'published'))
    undo()

    // @ts-expect-error there is no such hook
    ctx.hooks.on('publishing', () => undefined)
    // @ts-expect-error a hook takes what it is given, not something else
    ctx.hooks.on('publish', (streamPath: string) => ctx.log.info(streamPath))
    // @ts-expect-error it is given two things, not three
    ctx.hooks.on('unpublished', (stream, reason, more) => ctx.log.info({ stream, reason, more }))
    // @ts-expect-error resolve says whether it will publish
    ctx.hooks.on('resolve', () => 'yes')
    ctx.hooks.on('track', (stream, track) => {
      // @ts-expect-error a track has no such field
      ctx.log.info({ path: stream.path, format: track.format })
    })
  },
})
