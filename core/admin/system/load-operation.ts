import { Type, type OperationRegistry, type Static } from 'sluice/sdk'
import type { EventLoopDelay } from '../../observe/event-loop-delay.ts'
import type { MachineUsageSampler, Usage } from '../../observe/machine-usage.ts'
import type { StreamRegistry } from '../../stream/registry.ts'
import type { Stream } from '../../stream/stream.ts'

/** The number of streams that are named. */
const MOST_VIEWED = 8

const OfTotal = Type.Object({ total: Type.Number(), used: Type.Number() })

/** The load of the server and its machine. Sizes are in bytes, rates in bytes a second. */
const Load = Type.Object({
  time: Type.String({ format: 'date-time' }),
  streams: Type.Integer(),
  viewers: Type.Integer({ description: 'Players; not what the server itself takes streams for' }),
  receivedBps: Type.Number({ description: 'Media that publishers write, in bytes a second' }),
  sentBps: Type.Number({ description: 'Bytes a second that subscribers are sent' }),
  cpuPercent: Type.Number({ description: 'Percent of all cores, by all programs' }),
  memory: Type.Object(OfTotal.properties, { description: 'Of the machine, in bytes' }),
  processMemory: Type.Number({ description: 'Of the server, in bytes' }),
  disk: Type.Object(OfTotal.properties, { description: 'Of the data folder, in bytes; zeros where it is unknown' }),
  loopUtilization: Type.Number({ description: 'The share of the time that the event loop is busy, 0 to 1' }),
  loopDelayP50: Type.Number({ description: 'By how many seconds the event loop is late, at the median' }),
  loopDelayP99: Type.Number({ description: 'The same, at the 99th percentile' }),
  mostViewed: Type.Array(Type.Object({ path: Type.String(), viewers: Type.Integer(), receivedBps: Type.Number() }), {
    description: `The ${MOST_VIEWED} streams with most viewers`,
  }),
})
type Load = Static<typeof Load>

export type LoadSource = {
  readonly machine: Pick<MachineUsageSampler, 'read'>
  readonly streams: {
    readonly index: Pick<StreamRegistry['index'], 'published' | 'countOf'>
    readonly mergeWindow: Pick<StreamRegistry['mergeWindow'], 'utilization'>
    readonly meters: { readonly throughput: Pick<StreamRegistry['meters']['throughput'], 'receivedBps' | 'sentBps'> }
  }
  readonly loopDelay: Pick<EventLoopDelay, 'read'>
}

/** `GET /api/load/sse`. For 10,000 streams it costs as much as looking at the number of viewers of each. */
export function addLoadOperation(operations: OperationRegistry, source: LoadSource): void {
  operations.events({
    path: '/api/load/sse',
    summary: 'The load of the server and its machine, again and again',
    event: Load,
    read: () => loadOf(source),
  })
}

async function loadOf({ machine, streams, loopDelay }: LoadSource): Promise<Load> {
  const { memory, cpuPercent, disks } = await machine.read()
  const { receivedBps, sentBps } = streams.meters.throughput
  const { p50, p99 } = loopDelay.read()
  return {
    time: new Date().toISOString(),
    streams: streams.index.published.size,
    viewers: streams.index.countOf('server'),
    receivedBps,
    sentBps,
    cpuPercent,
    memory: ofTotal(memory),
    processMemory: process.memoryUsage.rss(),
    disk: ofTotal(disks[0]),
    loopUtilization: streams.mergeWindow.utilization,
    loopDelayP50: p50,
    loopDelayP99: p99,
    mostViewed: mostViewed(streams.index.published),
  }
}

/** The streams with most viewers, of those that have any. */
function mostViewed(streams: Iterable<Stream>): Load['mostViewed'] {
  const most: Stream[] = []
  for (const stream of streams) {
    const { subscriberCount } = stream
    const last = most[MOST_VIEWED - 1]
    if (subscriberCount === 0 || (last !== undefined && last.subscriberCount >= subscriberCount)) continue
    const place = most.findIndex((other) => other.subscriberCount < subscriberCount)
    most.splice(place === -1 ? most.length : place, 0, stream)
    most.length = Math.min(most.length, MOST_VIEWED)
  }
  return most.map(({ path, subscriberCount, publisher }) => ({
    path,
    viewers: subscriberCount,
    receivedBps: [...(publisher?.meters ?? [])].reduce((sum, { bps }) => sum + bps, 0),
  }))
}

/** The total without what the system keeps for itself, so that a full disk is used as a whole. */
function ofTotal(usage: Usage | undefined): Load['disk'] {
  return usage === undefined ? { total: 0, used: 0 } : { total: usage.used + usage.free, used: usage.used }
}
