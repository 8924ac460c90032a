import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { definePlugin } from 'sluice/sdk'
import { createFakeHost, FakePlugins } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import atlas from './atlas.ts'

/** Another protocol, whose plugin takes its time to start. */
const SLOW = definePlugin({
  name: 'slow',
  version: '1.0.0',
  protocol: { schemes: { slow: {} } },
  setup: () => new Promise((resolve) => setTimeout(resolve, 50)),
})

const ADDRESSES = {
  'atlas://host/a': 'atlas',
  'https://host/chart/a': 'atlas',
  'a.MAP': 'atlas',
  'slow://host': 'slow',
  'x://host': '',
}

async function named(origin: string): Promise<Record<string, string>> {
  const names: Record<string, string> = {}
  for (const url of Object.keys(ADDRESSES)) {
    const answer = await fetch(`${origin}/atlas/protocol?url=${encodeURIComponent(url)}`)
    names[url] = ((await answer.json()) as { readonly data: { readonly name: string } }).data.name
  }
  return names
}

describe('a plugin that knows the protocols of others', () => {
  it('tells them by their definitions, from the moment when all are up', async () => {
    const server = await createTestServer(atlas, { beside: [SLOW] })
    keep({ close: () => server.stop() })
    const line = server.log.find(({ msg, plugin }) => plugin === 'atlas' && msg === 'set up')
    expect(line?.['running']).to.include('slow')
    expect(await named(server.origin)).to.eql(ADDRESSES)
    const page = await fetch(`${server.origin}/atlas/protocols?pageNum=2&pageSize=1`)
    expect(await page.json()).to.deep.include({ total: 2, data: [{ name: 'slow', schemes: ['slow'] }] })
    expect(server.problems).to.eql([])
  })

  it('has its clients told where it listens when they come to the port of HTTP', async () => {
    const server = await createTestServer(atlas)
    keep({ close: () => server.stop() })
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1').on('error', () => {})
    socket.resume().write(Buffer.from([5, 0, 0, 0]))
    await once(socket, 'close')
    const reason = `ATLAS on a port of plain HTTP; it is taken at 127.0.0.1:${server.port()}`
    await waitFor(() => server.log.some((line) => line['reason'] === reason), { what: reason })
  })

  it('does so on a fake host', async () => {
    const plugins = new FakePlugins()
    plugins.set([atlas, SLOW].map(({ name, protocol }) => ({ name, protocol: protocol! })))
    const host = await createFakeHost(atlas, { plugins })
    keep({ close: () => host.dispose() })
    expect(await named(host.http.origin)).to.eql(ADDRESSES)
  })
})
