import type { FastifyInstance } from 'fastify'
import type { UdpDrops } from '../../net/udp-drops.ts'
import { EventLoopDelay } from '../../observe/event-loop-delay.ts'
import { formatMetrics, type MetricFamily, type MetricSample } from '../../observe/metrics.ts'
import type { Stream } from '../../stream/stream.ts'
import type { StreamRegistry } from '../../stream/registry.ts'
import type { StreamSubscriber } from '../../stream/stream-subscriber.ts'

/** `GET /metrics` and `/api/metrics`: the state of the process and of each stream, for Prometheus. */
export function registerMetricsRoute(
  app: FastifyInstance,
  streams: StreamRegistry,
  udpDrops: ReadonlyMap<string, UdpDrops>,
): void {
  const delay = new EventLoopDelay()
  app.addHook('onClose', () => delay.close())
  for (const path of ['/metrics', '/api/metrics']) {
    app.get(path, (_request, reply) => {
      void reply.type('text/plain; version=0.0.4; charset=utf-8')
      const ofStreams = [...loadMetrics(streams, delay), ...streamMetrics(streams)]
      return formatMetrics([...processMetrics(), ...ofStreams, udpMetric(udpDrops)])
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
    gauge('sluice_streams', 'Streams with a publisher', [{ value: streams.index.published.size }]),
    gauge('sluice_subscribers', 'Subscribers, waiting ones included', [{ value: streams.index.subscribers.size }]),
  ]
}

function streamMetrics(streams: StreamRegistry): MetricFamily[] {
  const list = streams.list()
  const perStream = (value: (stream: Stream) => number) =>
    list.map((stream): MetricSample => ({ labels: { stream: stream.path }, value: value(stream) }))
  const perTrack = (counter: 'bytes' | 'units' | 'lost') =>
    list.flatMap(({ path, publisher }) =>
      (publisher?.tracks ?? []).map((track): MetricSample => {
        const labels = { stream: path, kind: track.kind, codec: track.codec, track: String(track.id) }
        return { labels, value: publisher?.meter(track)?.[counter] ?? 0 }
      }),
    )
  return [
    counter('sluice_track_received_bytes_total', 'Media received', perTrack('bytes')),
    counter('sluice_track_received_units_total', 'Access units received', perTrack('units')),
    counter(
      'sluice_track_lost_units_total',
      'Access units lost on the way, or useless without those',
      perTrack('lost'),
    ),
    gauge(
      'sluice_stream_subscribers',
      'Subscribers of the stream',
      perStream((stream) => stream.subscribers.size),
    ),
    gauge(
      'sluice_stream_sent_bytes',
      'Bytes that present subscribers were sent',
      perStream(sum(({ sentBytes }) => sentBytes)),
    ),
    gauge(
      'sluice_stream_queued_bytes',
      'Bytes queued for its viewers',
      perStream(sum(({ queuedBytes }) => queuedBytes)),
    ),
    gauge(
      'sluice_stream_dropped_units',
      'Units that present subscribers were not sent',
      perStream(sum(({ dropped }) => dropped)),
    ),
    gauge(
      'sluice_stream_muxers',
      'Muxers at work, one for all sinks of a format, selection of tracks and window',
      list.flatMap(({ path, fanOut }) => {
        const formats = fanOut.muxers.map(({ format }) => format.name)
        return [...new Set(formats)].map((format) => ({
          labels: { stream: path, format },
          value: formats.filter((name) => name === format).length,
        }))
      }),
    ),
  ]
}

function udpMetric(drops: ReadonlyMap<string, UdpDrops>): MetricFamily {
  const samples = [...drops].flatMap(([plugin, ofPlugin]) =>
    Object.entries(ofPlugin).map(([reason, value]): MetricSample => ({ labels: { plugin, reason }, value })),
  )
  return counter(
    'sluice_udp_dropped_datagrams_total',
    'Datagrams that nobody wanted, or that could not be sent',
    samples,
  )
}

function sum(value: (subscriber: StreamSubscriber) => number): (stream: Stream) => number {
  return ({ subscribers }) => [...subscribers].reduce((total, subscriber) => total + value(subscriber), 0)
}

function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: 'gauge', samples }
}

function counter(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: 'counter', samples }
}
