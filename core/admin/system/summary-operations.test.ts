import { expect } from 'chai'
import { OperationRoutes } from 'sluice/sdk/host'
import { LogRecords } from 'sluice/sdk/testing'
import { askOperations, createApp } from '../../http/testing/ask-operations.ts'
import type { MachineUsage } from '../../observe/machine-usage.ts'
import { addSummaryOperations, type SummarySource } from './summary-operations.ts'

const GIB = 2 ** 30
const MACHINE: MachineUsage = {
  memory: { total: 4 * GIB, free: GIB, used: 3 * GIB, usage: 75 },
  cpuPercent: 12.5,
  disks: [
    { folder: '/data', total: 100 * GIB, free: 40 * GIB, used: 60 * GIB, usage: 60 },
    { folder: '/other', total: GIB, free: GIB, used: 0, usage: 0 },
  ],
  network: [{ name: 'eth0', receivedBytes: 2 ** 40, sentBytes: 7, receivedBytesPerSecond: 5, sentBytesPerSecond: 6 }],
}

function sourceOf(machine: MachineUsage): SummarySource {
  const counts: Partial<Record<string, number>> = { server: 30, transform: 2, push: 9 }
  return {
    publicIp: () => '198.51.100.7',
    machine: { read: async () => machine },
    index: { published: new Set([1, 2, 3]), countOf: (type) => counts[type] ?? 0 },
    jobs: { pulls: { count: 4 }, pushes: { count: 5 } },
    recordings: () => Array(6).fill(undefined),
  }
}

const COUNTS = { streamCount: 3, subscribeCount: 30, pullCount: 4, pushCount: 5, recordCount: 6, transformCount: 2 }

async function summaryWith(machine: MachineUsage): Promise<unknown> {
  const log = new LogRecords('core')
  const [answer] = await askOperations(log, (operations) => addSummaryOperations(operations, sourceOf(machine)), [
    { url: '/api/summary' },
  ])
  return JSON.parse(answer?.body ?? '')
}

describe('the summary', () => {
  it('has memory in MiB, the disk of the data in GiB, large numbers as texts, and the counts', async () => {
    expect(await summaryWith(MACHINE)).to.eql({
      address: '198.51.100.7',
      memory: { total: '4096', free: '1024', used: '3072', usage: 75 },
      cpuUsage: 12.5,
      hardDisk: { total: '100', free: '40', used: '60', usage: 60 },
      netWork: [{ name: 'eth0', receive: '1099511627776', sent: '7', receiveSpeed: '5', sentSpeed: '6' }],
      ...COUNTS,
    })
  })

  it('has no disk where none can be read', async () => {
    const hardDisk = { total: '0', free: '0', used: '0', usage: 0 }
    expect(await summaryWith({ ...MACHINE, disks: [] })).to.deep.include({ hardDisk })
  })

  it('of several processes adds their sessions up, and has the machine once', () => {
    const app = createApp()
    const operations = new OperationRoutes({ targetOf: () => app })
    addSummaryOperations(operations, sourceOf(MACHINE))
    const reach = operations.entries[0]?.operation.reach
    if (typeof reach !== 'object' || !('all' in reach)) throw new Error('it is not asked of all')
    const other = { ...COUNTS, streamCount: 10, address: 'b', cpuUsage: 99 }
    expect(reach.all([{ ...COUNTS, address: 'a', cpuUsage: 1 }, other])).to.eql({
      address: 'a',
      cpuUsage: 1,
      streamCount: 13,
      subscribeCount: 60,
      pullCount: 8,
      pushCount: 10,
      recordCount: 12,
      transformCount: 4,
    })
  })
})
