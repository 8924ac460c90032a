import type { FastifyInstance } from 'fastify'
import { EventLoopDelay } from '../observe/event-loop-delay.ts'
import { formatMetrics, type MetricFamily, type MetricSample } from '../observe/metrics.ts'
import type { Stream } from '../stream/stream.ts'
import type { StreamRegistry } from '../stream/registry.ts'

/** `GET /metrics` and `/api/metrics`: the state of the process and of each stream, for Prometheus. */
export function registerMetricsRoute(app: FastifyInstance, streams: StreamRegistry): void {
  const delay = new EventLoopDelay()
  app.addHook('onClose', () => delay.close())
  for (const path of ['/metrics', '/api/metrics']) {
    app.get(path, (_request, reply) => {
      void reply.type('text/plain; version=0.0.4; charset=utf-8')
      return formatMetrics([...processMetrics(), ...loadMetrics(streams, delay), ...streamMetrics(streams)])
    })
  }
}

function processMetrics(): MetricFamily[] {
  const { user, system } = process.cpuUsage()
  return [
    counter('process_cpu_seconds_total', 'CPU time of the process, user and system', [
      { value: (user + system) / 1e6 },
    ]),
    gauge('process_resident_memory_bytes', 'Memory in use', [{ value: process.memoryUsage.rss() }]),
    gauge('process_uptime_seconds', 'Time since the process started', [{ value: process.uptime() }]),
  ]
}

function loadMetrics(streams: StreamRegistry, delay: EventLoopDelay): MetricFamily[] {
  const { autoMs, utilization } = streams.mergeWindow
  return [
    gauge('sluice_event_loop_utilization', 'Share of the time the event loop is busy, 0 to 1', [
      { value: utilization },
    ]),
    gauge('sluice_event_loop_delay_p99_seconds', 'By how much the event loop was late since the last reading', [
      { value: delay.takeP99Seconds() },
    ]),
    gauge('sluice_write_merge_window_seconds', 'How long writemerge auto gathers output', [{ value: autoMs / 1000 }]),
    gauge('sluice_streams', 'Streams with a publisher', [{ value: streams.list().length }]),
    gauge('sluice_subscribers', 'Subscribers, waiting ones included', [{ value: streams.subscribers().length }]),
  ]
}

function streamMetrics(streams: StreamRegistry): MetricFamily[] {
  const list = streams.list()
  const perStream = (value: (stream: Stream) => number) =>
    list.map((stream): MetricSample => ({ labels: { stream: stream.path }, value: value(stream) }))
  const perTrack = (value: (bytes: number, units: number) => number) =>
    list.flatMap(({ path, publisher }) =>
      (publisher?.tracks ?? []).map((track): MetricSample => {
        const meter = publisher?.meter(track)
        const labels = { stream: path, kind: track.kind, codec: track.codec, track: String(track.id) }
        return { labels, value: value(meter?.bytes ?? 0, meter?.units ?? 0) }
      }),
    )
  return [
    counter(
      'sluice_track_received_bytes_total',
      'Media received',
      perTrack((bytes) => bytes),
    ),
    counter(
      'sluice_track_received_units_total',
      'Access units received',
      perTrack((_bytes, units) => units),
    ),
    gauge(
      'sluice_stream_subscribers',
      'Subscribers of the stream',
      perStream((stream) => stream.subscribers.size),
    ),
    gauge('sluice_stream_queued_bytes', 'Bytes queued for its viewers', perStream(sumOverQueues('queued'))),
    gauge(
      'sluice_stream_dropped_units',
      'Units that present viewers were not sent',
      perStream(sumOverQueues('dropped')),
    ),
  ]
}

function sumOverQueues(what: 'queued' | 'dropped'): (stream: Stream) => number {
  return (stream) => {
    let sum = 0
    for (const { queue } of stream.subscribers) {
      if (queue !== undefined) sum += what === 'queued' ? queue.queuedBytes : queue.dropped
    }
    return sum
  }
}

function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: 'gauge', samples }
}

function counter(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: 'counter', samples }
}
