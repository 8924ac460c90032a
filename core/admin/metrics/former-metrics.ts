import { labelText, type MetricSnapshot } from 'sluice/sdk/host'
import type { Stream } from '../../stream/stream.ts'
import type { Summary } from '../system/summary-operations.ts'

type Reading = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

/**
 * The metrics under the names that dashboards of other servers use (api.md 3.2, `GET /api/metrics`): the summary (api.md
 * 3.3) with its units, and the rates of tracks.
 * @param shown the streams that have series of their own
 */
export function formerMetrics(summary: Summary, shown: readonly Stream[]): MetricSnapshot[] {
  const { cpuUsage, memory, hardDisk, netWork } = summary
  const speeds = (field: 'sentSpeed' | 'receiveSpeed') =>
    netWork.map((usage): Reading => ({ labels: { name: usage.name }, value: usage[field] }))
  return [
    gauge('cpu_usage', 'CPU of the machine in percent', [{ value: cpuUsage }]),
    ...ofUsage('memory', 'MiB', memory),
    ...ofUsage('disk', 'GiB', hardDisk),
    gauge('net_send_speed', 'Bytes a second that an interface has sent', speeds('sentSpeed')),
    gauge('net_receive_speed', 'Bytes a second that an interface has received', speeds('receiveSpeed')),
    gauge('stream_count', 'Streams', [{ value: summary.streamCount }]),
    gauge('subscribe_count', 'Players', [{ value: summary.subscribeCount }]),
    gauge('pull_count', 'Pulls', [{ value: summary.pullCount }]),
    gauge('push_count', 'Pushes', [{ value: summary.pushCount }]),
    gauge('record_count', 'Recordings', [{ value: summary.recordCount }]),
    gauge('transform_count', 'Streams that the server makes of others', [{ value: summary.transformCount }]),
    gauge('bps', 'Bytes a second that a track has', ratesOf(shown, 'bps')),
    gauge('fps', 'Access units a second that a track has', ratesOf(shown, 'fps')),
  ]
}

function ofUsage(what: 'memory' | 'disk', unit: string, { total, used, free, usage }: Summary['memory']) {
  const sizes = Object.entries({ total, used, free }).map(([name, value]) =>
    gauge(`${what}_${name}`, `The ${what} of the machine, ${name}, in ${unit}`, [{ value: value }]),
  )
  return [...sizes, gauge(`${what}_usage`, `The ${what} of the machine in percent`, [{ value: usage }])]
}

/** Reads the rates of the first track of each kind, as the labels don't distinguish the others. */
function ratesOf(streams: readonly Stream[], field: 'bps' | 'fps'): Reading[] {
  return streams.flatMap(({ path, publisher }) =>
    (['video', 'audio'] as const).flatMap((kind) => {
      const track = publisher?.tracks.find((other) => other.kind === kind)
      if (publisher === undefined || track === undefined) return []
      const labels = { streamPath: path, pluginName: publisher.request.protocol, trackType: kind }
      return { labels, value: publisher.meter(track)?.[field] ?? 0 }
    }),
  )
}

function gauge(name: string, help: string, readings: readonly Reading[]): MetricSnapshot {
  const series = readings.map(({ labels = {}, value }) => ({ labels: labelText(labels), value }))
  return { type: 'gauge', name, help, series }
}
