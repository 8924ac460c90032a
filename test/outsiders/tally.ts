import { definePlugin, LATENCY_BUCKETS } from 'sluice/sdk'

export default definePlugin({
  name: 'tally',
  version: '1.0.0',
  sdk: '^1',
  setup({ metrics, hooks }) {
    const startMs = new Map<string, number>()

    // A family has a name, a line of help and, where there are several series, the names of its labels.
    const tracks = metrics.counter({ name: 'tracks_total', help: 'Tracks that came', labels: ['codec'] })
    const first = metrics
      .histogram({ name: 'first_track_seconds', help: 'Time until the first track', buckets: LATENCY_BUCKETS })
      .with()
    metrics.gauge({
      name: 'silent_streams',
      help: 'Streams without a track yet',
      // Read when somebody asks, instead of being set each time.
      read: () => [{ value: startMs.size }],
    })

    hooks.on('published', ({ path }) => void startMs.set(path, performance.now()))
    hooks.on('unpublished', ({ path }) => void startMs.delete(path))
    hooks.on('track', ({ path }, { codec }) => {
      tracks.with({ codec }).add()
      const since = startMs.get(path)
      if (since !== undefined) first.observe((performance.now() - since) / 1000)
      startMs.delete(path)
    })
  },
})
