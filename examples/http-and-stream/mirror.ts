/**
 * A plugin with an operation of the administration and a stream of its own: shows any stream again under another path.
 *
 * Run it: `npm start -- -c examples/http-and-stream/config.yaml`, then
 * `curl -X POST localhost:8080/mirror/api/start/live/demo` and play `live/demo-mirror`.
 */
import { definePlugin, StreamPath, Type, type Publisher, type Subscriber, type Track } from 'sluice/sdk'

const OWN_SESSION = { url: '', query: '', client: { ip: '127.0.0.1', port: 0, userAgent: 'mirror' } }

function copyUnits(source: Subscriber, copy: Publisher): void {
  /** The tracks of the copy, by the ids of the source's tracks. */
  const copies = new Map<number, Track>()
  function remove(id: number): void {
    const track = copies.get(id)
    if (track !== undefined) copy.removeTrack(track)
    copies.delete(id)
  }
  source.read({
    track(track) {
      const known = copies.get(track.id)
      copies.set(track.id, known === undefined ? copy.addTrack(track) : copy.configureTrack(known, track.config))
    },
    unit(unit) {
      const track = copies.get(unit.track.id)
      if (track !== undefined) copy.write(unit.at(track, unit.dts, unit.pts))
    },
    trackRemoved: ({ id }) => remove(id),
    // The tracks of another publisher count from 0 again.
    sourceEnded() {
      for (const id of copies.keys().toArray()) remove(id)
    },
  })
}

export default definePlugin({
  name: 'mirror',
  version: '1.0.0',
  sdk: '^1',
  description: 'Shows a stream again under another path',

  setup({ operations, streams, tasks }) {
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
        // The subscriber has to be closed in any case, also when the path of the copy is taken.
        source.close('the mirror ended')
      }
    }

    operations.add({
      method: 'POST',
      path: 'api/start/{streamPath}',
      summary: 'Show a stream again',
      params: Type.Object({ streamPath: StreamPath() }),
      answer: Type.Object({ task: Type.Integer(), streamPath: Type.String() }),
      handle({ params: { streamPath } }) {
        const task = tasks.start({ owner: streamPath, run: (signal) => mirror(streamPath, signal) })
        return { task: task.id, streamPath: `${streamPath}-mirror` }
      },
    })
  },
})
