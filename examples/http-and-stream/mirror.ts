/**
 * A plugin with an HTTP route and a stream of its own: shows any stream again under another path.
 *
 * Run it: `npm start -- -c examples/http-and-stream/config.yaml`, then
 * `curl -X POST localhost:8080/mirror/start/live/demo` and play `live/demo-mirror`.
 */
import { AccessUnit, definePlugin, type Publisher, type Subscriber, type Track } from 'sluice/sdk'

const OWN_SESSION = { url: '', query: '', client: { ip: '127.0.0.1', port: 0, userAgent: 'mirror' } }

function copyUnits(source: Subscriber, copy: Publisher): void {
  const copies = new Map<Track, Track>()
  source.read({
    track(track) {
      const known = copies.get(track)
      if (known === undefined) copies.set(track, copy.addTrack(track))
      else copy.configureTrack(known, track.config)
    },
    unit({ track, dts, pts, keyframe, data }) {
      const target = copies.get(track)
      if (target !== undefined) copy.write(AccessUnit.fromData(target, dts, pts, keyframe, data))
    },
  })
}

export default definePlugin({
  name: 'mirror',
  version: '1.0.0',
  sdk: '^1',
  description: 'Shows a stream again under another path',

  setup({ http, streams, tasks }) {
    /** Copies one stream, as long as it lives or until the task is stopped. */
    async function mirror(streamPath: string, signal: AbortSignal): Promise<void> {
      const source = await streams.subscribe({ ...OWN_SESSION, streamPath, type: 'transform', signal })
      try {
        const copy = await streams.publish({
          ...OWN_SESSION,
          streamPath: `${streamPath}-mirror`,
          type: 'transform',
          signal,
        })
        copyUnits(source, copy)
        await new Promise<void>((resolve) => {
          source.onClose(() => resolve())
          copy.onClose(() => resolve())
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
        copy.close('the mirror ended')
      } finally {
        // Whoever subscribes closes, also when the path of the copy is taken.
        source.close('the mirror ended')
      }
    }

    http.post<{ Params: { '*': string } }>('/start/*', ({ params }) => {
      const streamPath = params['*']
      const task = tasks.start({ owner: streamPath, run: (signal) => mirror(streamPath, signal) })
      return { task: task.id, streamPath: `${streamPath}-mirror` }
    })
  },
})
