import { expect } from 'chai'
import { ProcessIds } from '../../base/process-ids.ts'
import { logLines } from '../../host/testing/log-lines.ts'
import { ListenerPool } from '../../net/listener-pool.ts'
import { ListenerBranch } from './listener-branch.ts'

const TCP = { listenaddr: '127.0.0.1:0', listenaddrtls: '', certfile: '', keyfile: '', nodelay: true, keepalive: true }
const UDP = { listenaddr: '127.0.0.1:0', readbuffer: 65_536, writebuffer: 65_536 }

describe('listeners in the task tree', () => {
  let pool: ListenerPool
  let branch: ListenerBranch
  beforeEach(() => {
    pool = new ListenerPool({ log: logLines().log })
    branch = new ListenerBranch({ pool, ids: new ProcessIds(0) })
  })
  afterEach(() => pool.close())

  it('are the ports of plugins, of each transport, which keep their ids', async () => {
    const tcp = await pool.acquire({ plugin: 'rtmp' }, TCP, (socket) => socket.destroy())
    const [port] = tcp.addresses
    const [before] = branch.snapshot().children
    const udp = await pool.acquireUdp({ plugin: 'srt' }, UDP, { onDatagram: () => false })
    const nodes = branch.snapshot().children
    expect(nodes.map(({ owner }) => owner)).to.eql(['rtmp', 'srt'])
    expect(nodes[0]?.description).to.eql({ kind: 'listener', transport: 'tcp', address: `127.0.0.1:${port?.port}` })
    expect(nodes[1]?.description).to.include({ transport: 'udp' })
    expect(nodes[0]).to.include({ id: before?.id, level: 2 })
    expect(new Set(nodes.map(({ id }) => id))).to.have.property('size', 2)
    await tcp.release()
    expect(branch.snapshot().children.map(({ owner }) => owner)).to.eql(['srt'])
    expect(branch.find(before?.id ?? 0)).to.equal(undefined)
    await udp.release()
  })

  it('are closed by the config alone', async () => {
    await pool.acquire({ plugin: 'rtmp' }, TCP, (socket) => socket.destroy())
    const [node] = branch.snapshot().children
    const control = branch.find(node?.id ?? 0)
    expect(() => control?.stop('enough'))
      .to.throw('the config')
      .with.property('statusCode', 501)
    expect(() => control?.restart()).to.throw('the config')
    expect(branch.snapshot().children).to.have.length(1)
  })
})
