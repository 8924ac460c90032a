import { expect } from 'chai'
import type { DatagramHandler, UdpFlow, UdpPeer } from 'sluice/sdk'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { UdpClient } from '../../../test/support/udp-client.ts'
import { ListenerPool } from '../../net/listener-pool.ts'
import { ownerOfError } from '../error-owner.ts'
import { logLines } from '../testing/log-lines.ts'
import { GenerationUdp } from './generation-udp.ts'

const CONFIG = { listenaddr: '127.0.0.1:0', readbuffer: 65_536, writebuffer: 65_536, section: 'demo.udp' }
const RANGE = { first: 21_000, last: 29_999 }

describe('GenerationUdp', () => {
  let logged: ReturnType<typeof logLines>
  let pool: ListenerPool
  let generations: GenerationUdp[]

  beforeEach(() => {
    logged = logLines()
    pool = new ListenerPool({ log: logged.log })
    generations = []
  })

  afterEach(() => {
    for (const generation of generations) generation.close()
    pool.close()
  })

  function create(): GenerationUdp {
    const owner = { plugin: 'demo', generation: generations.length + 1, log: logged.log }
    const generation = new GenerationUdp(owner, pool)
    generations.push(generation)
    return generation
  }

  async function listen(onDatagram: DatagramHandler) {
    const generation = create()
    const listener = await generation.listen(CONFIG, onDatagram)
    generation.activate()
    return { generation, listener, client: await UdpClient.open(listener.address.port) }
  }

  it('has the errors of what its datagrams begin belong to the plugin', async () => {
    const owners: unknown[] = []
    const { listener, client } = await listen((_, peer) => {
      owners.push(ownerOfError('text'))
      setImmediate(() => {
        owners.push(ownerOfError('text'))
        listener.send([Buffer.from('done')], peer)
      })
    })
    await client.ask('hello')
    expect(owners).to.eql([{ plugin: 'demo' }, { plugin: 'demo' }])
  })

  it('logs a handler that fails once in a while, and goes on', async () => {
    // As a plugin may do though the type says otherwise.
    const rejecting = (() => Promise.reject(new Error('rejected'))) as unknown as DatagramHandler
    const { listener, client } = await listen((datagram, peer) => {
      const said = datagram.toString()
      if (said === 'reject') return rejecting(datagram, peer)
      if (said !== 'hello') throw new Error('thrown')
      const flow = listener.claim(peer, (next) => {
        if (next.toString() !== 'still') throw new Error('thrown by the flow')
        flow.send([next])
      })
      flow.send([datagram])
      return true
    })
    for (const said of ['throw', 'reject', 'throw']) client.send(said)
    await client.ask('hello')
    for (let count = 0; count < 20; count += 1) client.send('throw')
    expect(await client.ask('still')).to.equal('still')
    const failures = logged.lines.filter(({ msg }) => msg === 'datagram handler failed')
    expect(failures).to.have.length(1)
    expect(failures[0]).to.have.nested.property('err.message', 'thrown')
  })

  it('counts the flows and the ports of sessions, and closes them at the end', async () => {
    const peers: UdpPeer[] = []
    const flows: UdpFlow[] = []
    const { generation, listener, client } = await listen((_, peer) => {
      peers.push(peer)
      flows.push(
        listener.claim(peer, () => {}),
        listener.claim({ ...peer, remotePort: 9 }, () => {}),
      )
      flows[0]?.send([Buffer.from('hello')])
    })
    await client.ask('hello')
    expect(generation.sessionCount).to.equal(2)
    const port = await generation.takePort(RANGE, () => {})
    const [even, odd] = await generation.takePortPair(
      RANGE,
      () => {},
      () => {},
    )
    expect(generation.sessionCount).to.equal(5)
    expect(generation.addresses).to.eql([listener.address])
    for (const ended of [...flows.slice(1), port]) await ended.close()
    for (const ended of [...flows.slice(1), port]) await ended.close()
    expect(generation.sessionCount).to.equal(3)
    generation.close()
    expect(generation.sessionCount).to.equal(0)
    expect(generation.addresses).to.eql([])
    await waitFor(() => [listener, even, odd].every(({ address }) => address.port === 0))
  })

  it('gives back what was bound while it ended', async () => {
    const generation = create()
    const opening = [
      generation.listen(CONFIG, () => {}),
      generation.takePort(RANGE, () => {}),
      generation.takePortPair(
        RANGE,
        () => {},
        () => {},
      ),
    ]
    generation.close()
    for (const opened of await Promise.allSettled(opening)) expect(opened).to.have.property('status', 'rejected')
    expect(generation.sessionCount).to.equal(0)
    expect(generation.addresses).to.eql([])
  })
})
