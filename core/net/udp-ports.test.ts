import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'chai'
import { pino } from 'pino'
import type { UdpConfig, UdpPeer } from 'sluice/sdk'
import { freeUdpPort, freeUdpRange, isUdpPortFree } from '../../test/peers/free-port.ts'
import { keep } from '../../test/peers/lifetime.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { UdpClient } from '../../test/support/udp-client.ts'
import type { BoundUdpPort } from './bound-udp-port.ts'
import { ListenerPool } from './listener-pool.ts'
import type { UdpLease } from './udp-lease.ts'

const CONFIG: UdpConfig = { listenaddr: '127.0.0.1:0', readbuffer: 65_536, writebuffer: 65_536 }
const OWNER = { plugin: 'srt' }

type LogLine = { readonly level: number; readonly msg: string; readonly given?: Readonly<Record<string, number>> }

describe('ListenerPool for UDP', () => {
  let lines: LogLine[]
  let pool: ListenerPool
  let leases: UdpLease[]

  beforeEach(() => {
    lines = []
    leases = []
    pool = new ListenerPool({
      log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) }),
    })
  })

  afterEach(async () => {
    for (const lease of leases) await lease.release()
    pool.close()
  })

  type Answer = (said: string, peer: UdpPeer, port: BoundUdpPort) => boolean

  /** Takes what is not `for NAME`, or is for itself. */
  const named =
    (name: string): Answer =>
    (said, peer, port) => {
      if (said.startsWith('for ') && said !== `for ${name}`) return false
      port.send([Buffer.from(`${name} heard ${said}`)], peer)
      return true
    }

  async function acquire(answer: Answer, config: Partial<UdpConfig> & { section?: string } = {}): Promise<UdpLease> {
    const onDatagram = (datagram: Buffer, peer: UdpPeer) => answer(datagram.toString(), peer, lease.port)
    const lease = await pool.acquireUdp({ ...OWNER }, { ...CONFIG, ...config }, { onDatagram })
    leases.push(lease)
    return lease
  }

  async function activated(answer: Answer, config: Partial<UdpConfig> = {}): Promise<UdpLease> {
    const lease = await acquire(answer, config)
    await lease.bind()
    lease.activate()
    return lease
  }

  const dropsOf = (plugin = OWNER.plugin) => pool.udpDrops.get(plugin)

  it('offers a datagram to the lease activated last, and to those before while they are not released', async () => {
    const first = await activated(named('first'))
    const client = await UdpClient.open(first.port.address.port)
    expect(await client.ask('hello')).to.equal('first heard hello')
    const second = await acquire(named('second'))
    expect(second.port.address).to.eql(first.port.address)
    expect(await client.ask('hello')).to.equal('first heard hello')
    second.activate()
    expect(await client.ask('hello')).to.equal('second heard hello')
    expect(await client.ask('for first')).to.equal('first heard for first')
    await first.release()
    client.send('for first')
    expect(await client.ask('hello')).to.equal('second heard hello')
    expect(dropsOf()?.unclaimed).to.equal(1)
  })

  it('answers peers of IPv4 and IPv6 where it listens on all addresses', async () => {
    const lease = await activated(
      (_, peer, port) => {
        const claimed = port.claim(peer, (datagram) => {
          port.sendTo(claimed, [datagram])
          return true
        })
        port.send([Buffer.from(peer.remoteAddress)], peer)
        return true
      },
      { listenaddr: ':0' },
    )
    const { host, port } = lease.port.address
    for (const address of host === '::' ? ['127.0.0.1', '::1'] : ['127.0.0.1']) {
      const client = await UdpClient.open(port, address)
      expect(await client.ask('hello')).to.equal(address)
      expect(await client.ask('claimed')).to.equal('claimed')
    }
  })

  it('finds a peer however the address is written that it was claimed by', async () => {
    const lease = await activated(() => false, { listenaddr: ':0' })
    if (lease.port.address.host !== '::') return
    for (const [written, address] of [
      ['0:0:0:0:0:0:0:1', '::1'],
      ['::ffff:127.0.0.1', '127.0.0.1'],
    ] as const) {
      const client = await UdpClient.open(lease.port.address.port, address)
      const claimed = lease.port.claim({ remoteAddress: written, remotePort: client.port }, (datagram) => {
        lease.port.sendTo(claimed, [datagram])
        return true
      })
      expect(await client.ask('here')).to.equal('here')
    }
  })

  it('counts what it can not send, and goes on', async () => {
    const lease = await activated(named('it'))
    const client = await UdpClient.open(lease.port.address.port)
    const peer = { remoteAddress: '127.0.0.1', remotePort: client.port }
    const text = (value: string) => Buffer.from(value)
    lease.port.send([text('one'), Buffer.alloc(70_000), text('two')], peer)
    lease.port.send([text('nowhere')], { ...peer, remotePort: 0 })
    lease.port.send([text('nobody')], { ...peer, remoteAddress: 'not an address' })
    await waitFor(() => client.answers.length === 2 && dropsOf()?.unsent === 3)
    expect(client.answers).to.eql(['one', 'two'])
    // Nobody listens there, which the system may tell.
    lease.port.send([text('refused')], { remoteAddress: '127.0.0.1', remotePort: await freeUdpPort() })
    expect(await client.ask('hello')).to.equal('it heard hello')
    await lease.release()
    lease.port.send([text('late')], peer)
    expect(dropsOf()?.overflow).to.equal(1)
  })

  it('keeps nothing of peers that nobody knows, and counts their datagrams', async () => {
    let asked = 0
    const lease = await activated((said, peer, port) => {
      asked += 1
      return said === 'last' && named('it')(said, peer, port)
    })
    for (let count = 0; count < 20; count += 1) {
      const client = await UdpClient.open(lease.port.address.port)
      for (let index = 0; index < 5; index += 1) client.send('noise')
      await waitFor(() => asked === 5 * (count + 1))
    }
    expect(dropsOf()?.unclaimed).to.equal(100)
  })

  it('tells once what the system gives of the buffers asked for, where that is less', async () => {
    const told = () => lines.filter(({ msg }) => msg.includes('buffers'))
    await activated(named('it'))
    expect(told()).to.eql([])
    // The later ones have the same port with other sizes, as after a change of the config.
    const asked = 1024 ** 3
    for (const readbuffer of [asked, 8 * asked]) await activated(named('it'), { readbuffer, writebuffer: 0 })
    expect(told()).to.have.length(1)
    expect(told()[0]?.given?.['readbuffer']).to.be.within(1, asked - 1)
  })

  it('says whose key is wrong where an address is taken', async () => {
    const taken = createSocket('udp4')
    keep({ close: () => void taken.close() })
    taken.bind(0, '127.0.0.1')
    await once(taken, 'listening')
    const listenaddr = `127.0.0.1:${taken.address().port}`
    const error = await acquire(named('it'), { listenaddr, section: 'srt.udp' }).catch((reason: unknown) => reason)
    expect(error).to.have.property('code', 'EADDRINUSE')
    expect(error).to.have.property('message').that.includes(listenaddr).and.includes('change srt.udp.listenaddr')
  })

  it('moves to another host of the same port, and back when that lease is released; flows go on then', async () => {
    const first = await activated(named('first'))
    const { port } = first.port.address
    const client = await UdpClient.open(port)
    const claimed = first.port.claim({ remoteAddress: '127.0.0.1', remotePort: client.port }, (datagram) => {
      first.port.sendTo(claimed, [Buffer.from(`flow heard ${datagram.toString()}`)])
      return true
    })
    expect(await client.ask('one')).to.equal('flow heard one')
    const second = await activated(named('second'), { listenaddr: `:${port}` })
    expect(await client.ask('two')).to.equal('second heard two')
    await second.release()
    expect(await client.ask('three')).to.equal('flow heard three')
  })

  it('takes no new peers when the server stops, while sessions can take their leave', async () => {
    const lease = await activated(named('it'))
    const client = await UdpClient.open(lease.port.address.port)
    await client.ask('hello')
    pool.close()
    client.send('hello')
    await waitFor(() => dropsOf()?.unclaimed === 1)
    lease.port.send([Buffer.from('good-bye')], { remoteAddress: '127.0.0.1', remotePort: client.port })
    await waitFor(() => client.answers.includes('good-bye'))
    const { port } = lease.port.address
    await lease.release()
    expect(await isUdpPortFree(port)).to.equal(true)
    expect(await acquire(named('late')).catch((reason: unknown) => reason)).to.have.property('code', 'CLOSED')
  })

  describe('the ports of sessions', () => {
    const handler = { onDatagram: () => true }
    const refusal = { name: 'StreamUnavailable', statusCode: 503 }

    it('are all used, and none twice, whoever asks at the same time', async () => {
      const range = await freeUdpRange(6)
      const ports = await Promise.all(Array.from({ length: 6 }, () => pool.takePort(OWNER, range, handler)))
      const numbers = ports.map(({ port }) => port.address.port)
      expect(numbers.toSorted((a, b) => a - b)).to.eql(Array.from({ length: 6 }, (_, index) => range.first + index))
      expect(await pool.takePort(OWNER, range, handler).catch((reason: unknown) => reason)).to.include(refusal)
      for (const { close } of ports) close()
      const [even, odd] = await pool.takePortPair(OWNER, range, [handler, handler])
      expect(odd.port.address.port).to.equal(even.port.address.port + 1)
      even.close()
      odd.close()
    })

    it('skip what others have, also as one of two', async () => {
      const { first } = await freeUdpRange(6)
      const even = first + (first % 2)
      const range = { first: even, last: even + 3 }
      const other = createSocket('udp6')
      keep({ close: () => void other.close() })
      other.bind(even + 1)
      await once(other, 'listening')
      const [rtp, rtcp] = await pool.takePortPair(OWNER, range, [handler, handler])
      expect([rtp, rtcp].map(({ port }) => port.address.port)).to.eql([even + 2, even + 3])
      const again = await pool.takePortPair(OWNER, range, [handler, handler]).catch((reason: unknown) => reason)
      expect(again).to.include(refusal)
      // The half of a pair that could not be had is free.
      const single = await pool.takePort(OWNER, range, handler)
      expect(single.port.address.port).to.equal(even)
      for (const port of [rtp, rtcp, single]) port.close()
    })

    it('are refused where a range has no pair, and when the server stops', async () => {
      const { first } = await freeUdpRange(2)
      const odd = first + 1 - (first % 2)
      const single = { first: odd, last: odd + 1 }
      const pair = pool.takePortPair(OWNER, single, [handler, handler])
      expect(await pair.catch((reason: unknown) => reason)).to.include(refusal)
      pool.close()
      expect(await pool.takePort(OWNER, single, handler).catch((reason: unknown) => reason)).to.include(refusal)
    })
  })
})
