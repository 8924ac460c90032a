import type { GaugeReading } from 'sluice/sdk'
import type { OwnedMetrics } from 'sluice/sdk/host'
import type { Stream } from '../../stream/stream.ts'
import type { StreamRegistry } from '../../stream/registry.ts'

/** The most streams that have series of their own. With more tracks than four each, some share a series. */
const MAX_SHOWN_STREAMS = 2500
const MAX_SERIES = 4 * MAX_SHOWN_STREAMS

type ByTrack = 'stream' | 'kind' | 'codec' | 'track'

/** The metrics of all streams together, and of each of those with the most subscribers. */
export class StreamMetrics {
  readonly #registry: StreamRegistry
  /** The streams that have a publisher. */
  #streams: readonly Stream[] = []
  #shown: readonly Stream[] = []

  constructor(metrics: OwnedMetrics, registry: StreamRegistry) {
    this.#registry = registry
    this.#addTotals(metrics)
    this.#addStreams(metrics)
    this.#addTracks(metrics)
  }

  /**
   * Reads the list of streams; to be called before the metrics are read.
   * @param limit the most streams that have series of their own
   * @returns the streams that have series of their own
   */
  refresh(limit: number): readonly Stream[] {
    this.#streams = this.#registry.list()
    this.#shown = mostWatched(this.#streams, limit)
    return this.#shown
  }

  /** Forgets the streams, once the metrics were read. */
  release(): void {
    this.#streams = []
    this.#shown = []
  }

  #addTotals(metrics: OwnedMetrics): void {
    const { mergeWindow } = this.#registry
    const gauge = (name: string, help: string, value: () => number) =>
      metrics.gauge({ name, help, read: () => [{ value: value() }] })
    gauge('sluice_event_loop_utilization', 'Share of the time the event loop is busy, 0 to 1', () => {
      return mergeWindow.utilization
    })
    gauge(
      'sluice_write_merge_window_seconds',
      'How long writemerge auto gathers output',
      () => mergeWindow.autoMs / 1000,
    )
    gauge('sluice_streams', 'Streams with a publisher', () => this.#streams.length)
    gauge(
      'sluice_shown_streams',
      'Streams with series of their own, see global.metrics.streams',
      () => this.#shown.length,
    )
    gauge('sluice_subscribers', 'Subscribers, waiting ones included', () => this.#registry.index.subscribers.size)
    gauge('sluice_queued_bytes', 'Bytes queued for subscribers', () => {
      return this.#streams.reduce((sum, { traffic }) => sum + traffic.queuedBytes, 0)
    })
    metrics.gauge({
      name: 'sluice_muxers',
      help: 'Muxers at work, one for all sinks of a format, selection of tracks and window',
      labels: ['format'],
      read: () => countFormats(this.#streams).map(([format, value]) => ({ labels: { format }, value })),
    })
  }

  #addStreams(metrics: OwnedMetrics): void {
    const read = (value: (stream: Stream) => number) => () =>
      this.#shown.map((stream) => ({ labels: { stream: stream.path }, value: value(stream) }))
    const shape = { labels: ['stream'] as const, maxSeries: MAX_SERIES }
    metrics.gauge({
      name: 'sluice_stream_subscribers',
      help: 'Subscribers of the stream',
      ...shape,
      read: read(({ subscribers }) => subscribers.size),
    })
    metrics.gauge({
      name: 'sluice_stream_queued_bytes',
      help: 'Bytes queued for its subscribers',
      ...shape,
      read: read(({ traffic }) => traffic.queuedBytes),
    })
    const counter = (name: string, help: string, value: (stream: Stream) => number) =>
      metrics.observe({ type: 'counter', name, help, ...shape, read: read(value) })
    counter(
      'sluice_stream_sent_bytes_total',
      'Bytes that its subscribers were sent',
      ({ traffic }) => traffic.sentBytes,
    )
    counter('sluice_stream_dropped_units_total', 'Units that its subscribers were not sent', ({ traffic }) => {
      return traffic.dropped
    })
    counter('sluice_stream_skips_total', 'Times that its subscribers fell behind', ({ traffic }) => traffic.skips)
    metrics.gauge({
      name: 'sluice_stream_muxers',
      help: 'Muxers of the stream, by their format',
      labels: ['stream', 'format'],
      maxSeries: MAX_SERIES,
      read: () =>
        this.#shown.flatMap((stream) =>
          countFormats([stream]).map(([format, value]) => ({
            labels: {
              stream: stream.path,
              format,
            },
            value,
          })),
        ),
    })
  }

  #addTracks(metrics: OwnedMetrics): void {
    const labels = ['stream', 'kind', 'codec', 'track'] as const
    const counter = (name: string, help: string, field: 'bytes' | 'units' | 'lost') =>
      metrics.observe({
        type: 'counter',
        name,
        help,
        labels,
        maxSeries: MAX_SERIES,
        read: () => this.#shown.flatMap((stream) => tracksOf(stream, field)),
      })
    counter('sluice_track_received_bytes_total', 'Media received', 'bytes')
    counter('sluice_track_received_units_total', 'Access units received', 'units')
    counter('sluice_track_lost_units_total', 'Access units lost on the way, or useless without those', 'lost')
  }
}

function tracksOf({ path, publisher }: Stream, field: 'bytes' | 'units' | 'lost'): GaugeReading<ByTrack>[] {
  return (publisher?.tracks ?? []).map((track) => ({
    labels: { stream: path, kind: track.kind, codec: track.codec, track: String(track.id) },
    value: publisher?.meter(track)?.[field] ?? 0,
  }))
}

function mostWatched(streams: readonly Stream[], limit: number): readonly Stream[] {
  if (streams.length <= limit) return streams
  return streams.toSorted((one, other) => other.subscribers.size - one.subscribers.size).slice(0, limit)
}

function countFormats(streams: readonly Stream[]): [format: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { fanOut } of streams) {
    for (const { format } of fanOut.muxers) counts.set(format.name, (counts.get(format.name) ?? 0) + 1)
  }
  return [...counts]
}
