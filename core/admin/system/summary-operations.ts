import { Int64, Type, type OperationAnswer, type OperationRegistry, type Static } from 'sluice/sdk'
import type { PullManager } from '../../jobs/pull-manager.ts'
import type { PushManager } from '../../jobs/push-manager.ts'
import { localAddress } from '../../net/local-address.ts'
import type { MachineUsageSampler, Usage as MachinePart } from '../../observe/machine-usage.ts'
import type { StreamIndex } from '../../stream/stream-index.ts'

const MIB_BYTES = 2 ** 20
const GIB_BYTES = 2 ** 30

const Usage = Type.Object({
  total: Int64(),
  free: Int64(),
  used: Int64(),
  usage: Type.Number({ description: 'Percent' }),
})

const NetInfo = Type.Object({
  name: Type.String(),
  receive: Int64(),
  sent: Int64(),
  receiveSpeed: Int64(),
  sentSpeed: Int64(),
})

const COUNTS = {
  streamCount: Type.Integer(),
  subscribeCount: Type.Integer({ description: 'Players; not what the server itself takes streams for' }),
  pullCount: Type.Integer(),
  pushCount: Type.Integer(),
  recordCount: Type.Integer(),
  transformCount: Type.Integer(),
}

/** `Summary` of the API (api.md 3.3). */
const Summary = Type.Object({
  address: Type.String(),
  memory: Type.Object(Usage.properties, { description: 'In MiB' }),
  cpuUsage: Type.Number({ description: 'Percent of all cores' }),
  hardDisk: Type.Object(Usage.properties, { description: 'The disk of the data folder, in GiB' }),
  netWork: Type.Array(NetInfo, { description: 'In bytes, and bytes a second' }),
  ...COUNTS,
})
export type Summary = Static<typeof Summary>

export type SummarySource = {
  readonly publicIp: () => string
  readonly machine: Pick<MachineUsageSampler, 'read'>
  readonly index: Pick<StreamIndex<unknown>, 'published' | 'countOf'>
  readonly jobs: { readonly pulls: Pick<PullManager, 'count'>; readonly pushes: Pick<PushManager, 'count'> }
  readonly recordings: () => readonly unknown[]
}

/**
 * `GET /api/summary` and its server-sent events (api.md 3.1). The usage of the machine is read once a second at most; the
 * counts are current, and cost the same for any number of streams.
 */
export function addSummaryOperations(operations: OperationRegistry, source: SummarySource): void {
  operations.add({
    method: 'GET',
    path: '/api/summary',
    summary: 'Server summary',
    answer: Summary,
    wire: 'bare',
    reach: { all: joinedSummaries },
    handle: () => summaryOf(source),
  })

  operations.events({
    path: '/api/summary/sse',
    summary: 'Server summary, again and again',
    event: Summary,
    read: () => summaryOf(source),
  })
}

/** The summary as it is now. */
export async function summaryOf({ publicIp, machine, index, jobs, recordings }: SummarySource): Promise<Summary> {
  const { memory, cpuPercent, disks, network } = await machine.read()
  const [disk = NO_DISK] = disks
  return {
    address: publicIp() || (localAddress() ?? '127.0.0.1'),
    memory: usageIn(MIB_BYTES, memory),
    cpuUsage: cpuPercent,
    hardDisk: usageIn(GIB_BYTES, disk),
    netWork: network.map(({ name, receivedBytes, sentBytes, receivedBytesPerSecond, sentBytesPerSecond }) => ({
      name,
      receive: receivedBytes,
      sent: sentBytes,
      receiveSpeed: receivedBytesPerSecond,
      sentSpeed: sentBytesPerSecond,
    })),
    streamCount: index.published.size,
    subscribeCount: index.countOf('server'),
    pullCount: jobs.pulls.count,
    pushCount: jobs.pushes.count,
    recordCount: recordings().length,
    transformCount: index.countOf('transform'),
  }
}

const NO_DISK: MachinePart = { total: 0, free: 0, used: 0, usage: 0 }

function usageIn(unitBytes: number, { total, free, used, usage }: MachinePart): Summary['memory'] {
  const inUnits = (bytes: number) => Math.round(bytes / unitBytes)
  return { total: inUnits(total), free: inUnits(free), used: inUnits(used), usage }
}

/** Joins the summaries of the processes of a server: they are on one machine, and each has a part of the sessions. */
function joinedSummaries(summaries: readonly OperationAnswer<Summary>[]): OperationAnswer<Summary> {
  const counts = Object.keys(COUNTS) as (keyof typeof COUNTS)[]
  const sums = counts.map((name) => [name, summaries.reduce((sum, summary) => sum + (summary[name] ?? 0), 0)] as const)
  return { ...summaries[0], ...Object.fromEntries(sums) }
}
