import { mkdtemp, rm } from 'node:fs/promises'
import { totalmem, tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { MachineUsageSampler } from './machine-usage.ts'
import { MAX_INTERFACES, networkUsage, parseNetworkTotals, readNetworkTotals } from './network-totals.ts'

const PROC_NET_DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 5200      40    0    0    0     0          0         0     5200      40    0    0    0     0       0          0
  eth0:123456789012 99    0    0    0     0          0         0 987654321 88    0    0    0     0       0          0
eth0:1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
`

describe('the usage of the machine', () => {
  it('is that of memory, cores and disks', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-usage-'))
    try {
      const usage = await new MachineUsageSampler([folder]).read()
      expect(usage.memory.total).to.equal(totalmem())
      expect(usage.memory.used + usage.memory.free).to.equal(usage.memory.total)
      expect(usage.memory.usage).to.be.within(0, 100)
      expect(usage.cpuPercent).to.be.within(0, 100)
      expect(usage.disks.map((disk) => disk.folder)).to.eql([folder])
      expect(usage.disks[0]?.total).to.be.greaterThan(0)
      expect(usage.disks[0]?.usage).to.be.within(0, 100)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('has a disk once, however many folders lie on it, and for folders that are not there yet', async () => {
    const missing = path.join(tmpdir(), 'sluice-usage', 'not', 'there')
    const { disks } = await new MachineUsageSampler([missing, tmpdir()]).read()
    expect(disks.map(({ folder }) => folder)).to.eql([missing])
  })

  it('is read once for all who ask within a second', () => {
    const sampler = new MachineUsageSampler([])
    expect(sampler.read()).to.equal(sampler.read())
  })

  it('names the interfaces of the machine', async () => {
    const { network } = await new MachineUsageSampler([]).read()
    const names = (await readNetworkTotals()).map(({ name }) => name)
    expect(network.map(({ name }) => name)).to.eql(names)
    for (const { receivedBytesPerSecond } of network) expect(receivedBytesPerSecond).to.equal(0)
  })
})

describe('the totals of network interfaces', () => {
  it('are read from the lines of /proc/net/dev', () => {
    expect(parseNetworkTotals(PROC_NET_DEV)).to.eql([
      { name: 'lo', receivedBytes: 5200, sentBytes: 5200 },
      { name: 'eth0', receivedBytes: 123456789012, sentBytes: 987654321 },
      { name: 'eth0:1', receivedBytes: 1, sentBytes: 9 },
    ])
  })

  it('are none where there is no such file, and no more than can be shown', () => {
    expect(parseNetworkTotals('')).to.eql([])
    const many = Array.from({ length: 1000 }, (_, i) => `veth${i}: 1 0 0 0 0 0 0 0 2\n`).join('')
    expect(parseNetworkTotals(many)).to.have.length(MAX_INTERFACES)
  })

  it('become speeds over the time between two readings', () => {
    const before = [
      { name: 'eth0', receivedBytes: 1000, sentBytes: 500 },
      { name: 'veth1', receivedBytes: 9000, sentBytes: 9000 },
    ]
    const now = [
      { name: 'eth0', receivedBytes: 5000, sentBytes: 500 },
      { name: 'veth1', receivedBytes: 10, sentBytes: 10 },
      { name: 'wg0', receivedBytes: 70, sentBytes: 70 },
    ]
    const speeds = networkUsage(now, before, 2000).map((usage) => [
      usage.receivedBytesPerSecond,
      usage.sentBytesPerSecond,
    ])
    expect(speeds).to.eql([
      [2000, 0],
      [0, 0],
      [0, 0],
    ])
    expect(networkUsage(now, now, 0).map(({ sentBytesPerSecond }) => sentBytesPerSecond)).to.eql([0, 0, 0])
  })
})
