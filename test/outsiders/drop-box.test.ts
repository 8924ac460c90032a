import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { createTestServer } from 'sluice/testing'
import { freeTcpRange } from '../peers/free-port.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import plugin from './drop-box.ts'

describe('a plugin whose sessions have a TCP port each', () => {
  async function start(count: number) {
    const { first, last } = await freeTcpRange(count)
    const server = await createTestServer(plugin, { config: { ports: `${first}-${last}` } })
    keep({ close: () => server.stop() })
    const ask = (method: string, path: string | number) => fetch(`${server.origin}/drop-box/${path}`, { method })
    const begin = async () => ((await (await ask('POST', '')).json()) as { port: number }).port
    return { server, ask, begin }
  }

  const dial = (port: number, host = '127.0.0.1'): Socket => connect(port, host).on('error', () => {})

  it('takes one connection at each, by IPv4 or IPv6', async () => {
    const { ask, begin, server } = await start(2)
    const ports = [await begin(), await begin()] as const
    expect((await ask('POST', '')).status).to.equal(503)
    dial(ports[0]).end('first')
    dial(ports[1], '::1').end('second')
    const text = async (port: number) => (await ask('GET', port)).text()
    await waitFor(async () => (await text(ports[0])) === 'first' && (await text(ports[1])) === 'second')
    expect(ports).to.include(await begin())
    expect(server.problems).to.eql([])
  })

  it('tells the address by which it was asked', async () => {
    const { ask, server } = await start(1)
    const { address, port } = (await (await ask('POST', '')).json()) as { address: string; port: number }
    expect(address).to.equal(new URL(server.origin).hostname)
    dial(port, address).end('here')
    await waitFor(async () => (await (await ask('GET', port)).text()) === 'here')
  })

  it('keeps its ports, and takes connections there, while it is replaced', async () => {
    const { begin, ask, server } = await start(1)
    const port = await begin()
    await server.replace()
    expect((await ask('POST', '')).status).to.equal(503)
    const client = dial(port)
    client.end('late')
    await once(client.resume(), 'close')
    await waitFor(async () => (await ask('POST', '')).status === 200, { what: 'the port to be given back' })
  })

  it('gives its ports back, and ends their connections, when it is unloaded', async () => {
    const { begin, server } = await start(2)
    const [used, unused] = [await begin(), await begin()]
    const client = dial(used)
    await once(client, 'connect')
    const closed = once(client.resume(), 'close')
    await server.stop()
    await closed
    const [error] = await once(connect(unused, '127.0.0.1'), 'error')
    expect(error).to.have.property('code', 'ECONNREFUSED')
  })
})
