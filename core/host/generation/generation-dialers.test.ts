import { once } from 'node:events'
import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { createDialer, type DialerOptions } from '../../net/dialer/dialer.ts'
import { TcpServer } from '../../net/dialer/fixtures/tcp-server.ts'
import { NetworkList } from '../../net/network-list.ts'
import { logLines } from '../testing/log-lines.ts'
import { GenerationDialers } from './generation-dialers.ts'

const HOST = '127.0.0.1'

function create(options: Partial<DialerOptions> = {}): GenerationDialers {
  const deny = new NetworkList([])
  const owner = { plugin: 'courier', generation: 1, log: logLines().log }
  return new GenerationDialers(owner, (proxy) => createDialer({ deny, proxy, ...options }))
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    ({ message }: Error) => message,
  )

describe('GenerationDialers', () => {
  it('end their connections with the generation', async () => {
    const server = await TcpServer.start()
    const dialers = create()
    const socket = await dialers.create('').connect({ host: HOST, port: server.port })
    const closed = once(socket, 'close')
    dialers.close()
    await closed
    await waitFor(() => server.accepted === 1 && server.sockets.size === 0)
  })

  it('give up the connections that are being opened', async () => {
    const dialers = create({ lookup: () => Promise.withResolvers<never>().promise })
    const target = { host: 'slow.test', port: 1 }
    const dialer = dialers.create('')
    const pending = [dialer.connect(target), dialer.connect({ ...target, signal: new AbortController().signal })]
    dialers.close()
    for (const each of pending) expect(await messageOf(each)).to.equal("can't connect to slow.test:1: stopped")
  })

  it('give up a connection whose caller does not want it any more', async () => {
    const dialers = create({ lookup: () => Promise.withResolvers<never>().promise })
    const controller = new AbortController()
    const pending = dialers.create('').connect({ host: 'slow.test', port: 1, signal: controller.signal })
    controller.abort()
    expect(await messageOf(pending)).to.equal("can't connect to slow.test:1: stopped")
  })

  it('open nothing once the generation has ended', async () => {
    const dialers = create()
    const dialer = dialers.create('')
    dialers.close()
    expect(await messageOf(dialer.connect({ host: HOST, port: 1 }))).to.equal("plugin 'courier' is unloaded")
    expect(() => dialers.create('')).to.throw("plugin 'courier' is unloaded")
  })

  it('refuse an address of a proxy that is none', () => {
    expect(() => create().create('ftp://user:pa55@proxy')).to.throw(/^(?!.*pa55)/u)
    expect(create().create('socks5://proxy:1080').proxied).to.equal(true)
    expect(create().create('').proxied).to.equal(false)
  })
})
