import { definePlugin, type Recordings } from 'sluice/sdk'

/** Records all streams below `court/`, an hour a file. */
export default definePlugin({
  name: 'court',
  version: '1.0.0',
  setup(ctx) {
    const { plugins, services } = ctx
    let recordings: Recordings | undefined
    let takeBack = () => {}
    // It may come later, and each of its generations has a service of its own.
    plugins.onChange(() => {
      if (services.get('recordings') === recordings) return
      takeBack()
      recordings = services.get('recordings')
      takeBack =
        recordings?.addSource((streamPath) =>
          streamPath.startsWith('court/') ? { folder: 'court/{stream}', fragmentMs: 3_600_000 } : undefined,
        ) ?? (() => {})
    })
    ctx.onDrain(() => takeBack())
  },
})
