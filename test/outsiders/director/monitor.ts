import { definePlugin, Type, type AccessUnit, type Subscriber } from 'sluice/sdk'

/** Reads a path with promises, and tells what it has seen. */
export default definePlugin({
  name: 'monitor',
  version: '1.0.0',
  config: Type.Object({ path: Type.String({ default: 'show/main' }) }),
  setup(ctx) {
    const { config, operations, streams } = ctx
    const seen = { units: 0, sources: 1, stepsBack: 0, badStarts: 0, ended: false }
    const lastDts = new Map<string, number>()
    let subscriber: Subscriber | undefined
    let starts = true

    const unit = async ({ track, dts, keyframe }: AccessUnit) => {
      await Promise.resolve()
      const seconds = dts / track.timescale
      if (seconds < (lastDts.get(track.kind) ?? 0)) seen.stepsBack++
      if (starts && !(track.kind === 'video' && keyframe)) seen.badStarts++
      starts = false
      lastDts.set(track.kind, seconds)
      seen.units++
    }

    operations.add({
      method: 'POST',
      path: 'begin',
      summary: 'Begins to read',
      async handle() {
        const client = { ip: '', port: 0, userAgent: 'monitor' }
        const init = { streamPath: config.path, url: '', query: '', client, type: 'transform' } as const
        subscriber = await streams.subscribe(init)
        subscriber.onClose(() => (seen.ended = true))
        subscriber.onSource(() => seen.sources++)
        subscriber.read({ unit, sourceEnded: () => void (starts = true) })
      },
    })
    operations.add({
      method: 'GET',
      path: 'seen',
      summary: 'What was read',
      answer: Type.Object({
        units: Type.Integer(),
        sources: Type.Integer(),
        stepsBack: Type.Integer(),
        badStarts: Type.Integer(),
        ended: Type.Boolean(),
      }),
      handle: () => seen,
    })
    ctx.onDispose(() => subscriber?.close())
  },
})
