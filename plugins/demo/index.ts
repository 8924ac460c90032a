import { definePlugin } from 'sluice/sdk'
import { Clip } from './clip/clip.ts'
import { DemoConfig } from './config.ts'
import { DemoStream } from './demo-stream.ts'

/** The clip that all generations of this code share, as its pictures take work. */
const clip = new Clip()

export default definePlugin({
  name: 'demo',
  version: '1.0.0',
  sdk: '^1',
  description: 'Publishes a test picture, so that there is something to see without any other program',
  config: DemoConfig,
  // The demo takes no path from another publisher, and goes on without viewers.
  defaults: { publish: { kickexist: false, idletimeout: '0s', delayclosetimeout: '0s' } },
  live: ['streampath'],
  processes: 'one',
  setup(ctx) {
    const start = (streamPath: string) => {
      const demo = new DemoStream(ctx, clip, streamPath)
      return ctx.tasks.start({ owner: streamPath, run: (signal) => demo.run(signal) })
    }
    let task = start(ctx.config.streampath)
    ctx.onConfig(({ streampath }) => {
      task.stop('the config has changed')
      task = start(streampath)
    })
    // The newer generation waits for the path to be free.
    ctx.onDrain(() => task.stop('the plugin was replaced or removed'))
  },
})
