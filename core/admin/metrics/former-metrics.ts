import { labelText, type MetricSnapshot } from 'sluice/sdk/host'
import type { PullManager } from '../../jobs/pull-manager.ts'
import type { PushManager } from '../../jobs/push-manager.ts'
import type { MachineUsageSampler, MachineUsage, Usage } from '../../observe/machine-usage.ts'
import type { Stream } from '../../stream/stream.ts'
import type { StreamRegistry } from '../../stream/registry.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3

export type FormerParts = {
  readonly machine: MachineUsageSampler
  readonly streams: StreamRegistry
  readonly pulls: PullManager
  readonly pushes: PushManager
}

type Reading = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

/** The names that dashboards of before have (api.md 3.2, `GET /api/metrics`), with the units of the summary (api.md 3.3). */
export class FormerMetrics {
  readonly #parts: FormerParts

  constructor(parts: FormerParts) {
    this.#parts = parts
  }

  /** @param shown the streams that have series of their own */
  async read(shown: readonly Stream[]): Promise<MetricSnapshot[]> {
    return [...ofMachine(await this.#parts.machine.read()), ...this.#counts(), ...ofTracks(shown)]
  }

  #counts(): MetricSnapshot[] {
    const { streams, pulls, pushes } = this.#parts
    const published = streams.list()
    const transforms = published.filter(({ publisher }) => publisher?.request.type === 'transform')
    const count = (name: string, help: string, value: number) => gauge(name, help, [{ value }])
    return [
      count('stream_count', 'Streams', published.length),
      count('subscribe_count', 'Subscribers', streams.subscriberTotal),
      count('pull_count', 'Pulls', pulls.count),
      count('push_count', 'Pushes', pushes.count),
      count('transform_count', 'Streams that the server makes of others', transforms.length),
    ]
  }
}

function ofMachine({ cpuPercent, memory, disks, network }: MachineUsage): MetricSnapshot[] {
  const speeds = (value: (usage: MachineUsage['network'][number]) => number): Reading[] =>
    network.map((usage) => ({ labels: { name: usage.name }, value: value(usage) }))
  return [
    gauge('cpu_usage', 'CPU of the machine in percent', [{ value: cpuPercent }]),
    ...ofUsage('memory', MIB, 'MiB', memory),
    ...ofUsage('disk', GIB, 'GiB', disks[0]),
    gauge(
      'net_send_speed',
      'Bytes a second that an interface has sent',
      speeds(({ sentBytesPerSecond }) => sentBytesPerSecond),
    ),
    gauge(
      'net_receive_speed',
      'Bytes a second that an interface has received',
      speeds(({ receivedBytesPerSecond }) => receivedBytesPerSecond),
    ),
  ]
}

function ofUsage(what: string, unitBytes: number, unit: string, usage: Usage | undefined): MetricSnapshot[] {
  if (usage === undefined) return []
  const { total, used, free } = usage
  const sizes = Object.entries({ total, used, free }).map(([name, bytes]) =>
    gauge(`${what}_${name}`, `The ${what} of the machine, ${name}, in ${unit}`, [
      { value: Math.floor(bytes / unitBytes) },
    ]),
  )
  return [...sizes, gauge(`${what}_usage`, `The ${what} of the machine in percent`, [{ value: usage.usage }])]
}

function ofTracks(streams: readonly Stream[]): MetricSnapshot[] {
  const read = (field: 'bps' | 'fps') => streams.flatMap((stream) => rateOf(stream, field))
  return [
    gauge('bps', 'Bytes a second that a track has', read('bps')),
    gauge('fps', 'Access units a second that a track has', read('fps')),
  ]
}

/** The first track of each kind, as the labels tell no others apart. */
function rateOf({ path, publisher }: Stream, field: 'bps' | 'fps'): Reading[] {
  if (publisher === undefined) return []
  return (['video', 'audio'] as const).flatMap((kind) => {
    const track = publisher.tracks.find((other) => other.kind === kind)
    const labels = { streamPath: path, pluginName: publisher.request.protocol, trackType: kind }
    return track === undefined ? [] : [{ labels, value: publisher.meter(track)?.[field] ?? 0 }]
  })
}

function gauge(name: string, help: string, readings: readonly Reading[]): MetricSnapshot {
  const series = readings.map(({ labels = {}, value }) => ({ labels: labelText(labels), value }))
  return { type: 'gauge', name, help, series }
}
