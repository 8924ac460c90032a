import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { freeTcpRange } from '../../test/peers/free-port.ts'
import { keep } from '../../test/peers/lifetime.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { ListenerPool } from './listener-pool.ts'

const OWNER = { plugin: 'demo', generation: 1, log: logLines().log }
const REFUSAL = { name: 'StreamUnavailable', statusCode: 503 }

describe('the TCP ports of sessions', () => {
  let pool: ListenerPool

  beforeEach(() => {
    pool = new ListenerPool({ log: logLines().log })
  })

  afterEach(() => pool.close())

  const take = (range: { first: number; last: number }) =>
    pool.takeTcpPort(OWNER, range, (socket) => void socket.end(String(socket.localPort)))
  const refused = (range: { first: number; last: number }) => take(range).catch((reason: unknown) => reason)

  it('take connections by IPv4 and IPv6 until they are given back', async () => {
    const range = await freeTcpRange(1)
    const { address, close } = await take(range)
    expect(address.port).to.equal(range.first)
    for (const host of ['127.0.0.1', '::1']) {
      expect(await text(connect(address.port, host)), host).to.equal(String(range.first))
    }
    close()
    close()
    const [error] = await once(connect(address.port, '127.0.0.1'), 'error')
    expect(error).to.have.property('code', 'ECONNREFUSED')
    const again = await take(range)
    again.close()
  })

  it('are all used, and none twice, whoever asks at the same time', async () => {
    const range = await freeTcpRange(5)
    const ports = await Promise.all(Array.from({ length: 5 }, () => take(range)))
    const numbers = ports.map(({ address }) => address.port).toSorted((a, b) => a - b)
    expect(numbers).to.eql(Array.from({ length: 5 }, (_, index) => range.first + index))
    expect(await refused(range)).to.include(REFUSAL)
    for (const { close } of ports) close()
  })

  it('skip what others have', async () => {
    const range = await freeTcpRange(2)
    const other = createServer().listen(range.first)
    keep({ close: () => void other.close() })
    await once(other, 'listening')
    const { address, close } = await take(range)
    expect(address.port).to.equal(range.last)
    expect(await refused(range)).to.include(REFUSAL)
    close()
  })

  it('are no matter of those of UDP', async () => {
    const range = await freeTcpRange(1)
    const udp = await pool.takePort(OWNER, range, { onDatagram: () => true })
    const tcp = await take(range)
    expect(tcp.address.port).to.equal(udp.port.address.port)
    tcp.close()
    udp.close()
  })

  it('are refused when the server stops', async () => {
    const range = await freeTcpRange(1)
    pool.close()
    expect(await refused(range)).to.include(REFUSAL)
  })
})
