import { definePlugin, Type } from 'sluice/sdk'
import { makeClip, type Clip } from './clip/clip.ts'
import { DemoStream } from './demo-stream.ts'

const DemoConfig = Type.Object({
  streampath: Type.String({
    default: 'live/demo',
    minLength: 1,
    description: 'Where the test picture is; a publisher that has this path already keeps it',
  }),
})

/** One for all generations: its making is work. */
let clipMade: Promise<Clip> | undefined

export default definePlugin({
  name: 'demo',
  version: '1.0.0',
  sdk: '^1',
  description: 'Publishes a test picture, so that there is something to see without any other program',
  config: DemoConfig,
  // It takes the path of nobody, and is there for whoever comes.
  defaults: { publish: { kickexist: false, idletimeout: '0s', delayclosetimeout: '0s' } },
  live: ['streampath'],
  async setup(ctx) {
    clipMade ??= makeClip()
    const clip = await clipMade
    const start = (streamPath: string) => {
      const demo = new DemoStream(ctx, clip, streamPath)
      return ctx.tasks.start({ owner: streamPath, run: (signal) => demo.run(signal) })
    }
    let task = start(ctx.config.streampath)
    ctx.onConfig(({ streampath }) => {
      task.stop('the config has changed')
      task = start(streampath)
    })
    // A newer generation waits for the path.
    ctx.onDrain(() => task.stop('the plugin was replaced or removed'))
  },
})
