import { definePlugin, type StreamInfo } from 'sluice/sdk'
import { AlbumLists } from './album/album-lists.ts'
import { Album } from './album/album.ts'
import { TABLES, type Tables } from './album/tables.ts'
import { Batches } from './batch/batches.ts'
import { SnapConfig } from './config.ts'
import { addAlbumOperations } from './http/album-operations.ts'
import { addBatchOperations } from './http/batch-operations.ts'
import { addRoutes } from './http/routes.ts'
import { PictureRules } from './live/picture-rules.ts'
import { PictureEncoder } from './picture/picture-encoder.ts'

export default definePlugin({
  name: 'snap',
  version: '1.0.0',
  sdk: '^1',
  description: 'Takes pictures of streams and recordings, by ffmpeg: on request, by rules, and many at once',
  provides: ['pictures'],
  pages: [
    {
      title: 'Snapshots',
      titles: { zh: '截图' },
      group: 'recording',
      icon: '/pages/snapshots.svg',
      module: new URL('pages/snapshots.tsx', import.meta.url),
    },
  ],
  config: SnapConfig,
  live: ['querytimedelta', 'ffmpegpath', 'subscribe'],
  tables: TABLES,
  async setup(ctx) {
    const encoder = new PictureEncoder(ctx)
    const album = new Album(ctx.files, ctx.store<Tables>())
    const parts = { ctx, encoder, album }
    ctx.services.provide('pictures', {
      encode: (keyframe, signal) => encoder.encode(keyframe, { owner: 'a picture of a recording', signal }),
    })
    const batches = new Batches(parts)
    addRoutes({ ...parts, batches })
    addAlbumOperations(ctx.operations, parts, new AlbumLists(ctx.store<Tables>()))
    addBatchOperations(ctx.operations, batches)

    const rules = await PictureRules.create(parts, ctx.config)
    ctx.hooks.on('published', (stream: StreamInfo) => rules.begin(stream))
    ctx.hooks.on('unpublished', ({ path }) => rules.end(path))
    for (const stream of ctx.streams.list()) rules.begin(stream)
    // The next generation begins by its own rules.
    ctx.onDrain(() => rules.endAll())
  },
})
