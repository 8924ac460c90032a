import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const IN_USE = 'address already in use'

async function occupy(): Promise<{ stranger: Server; listenaddr: string; port: number }> {
  const stranger = createServer().listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  const { port } = stranger.address() as AddressInfo
  return { stranger, listenaddr: `127.0.0.1:${port}`, port }
}

async function readiness(server: RunningServer): Promise<unknown> {
  const answer = await fetch(server.http('/readyz'))
  return [answer.status, await answer.json()]
}

const complaints = (server: RunningServer) => server.problems.filter(({ msg }) => msg.includes(IN_USE))

describe("a plugin's address that another program has", () => {
  it('is told in one line with its key, keeps the server unready, and is had as soon as it is free', async () => {
    const { stranger, listenaddr, port } = await occupy()
    const server = await startServer({ env: { SLUICE_RTMP_TCP_LISTENADDR: listenaddr } })
    expect(await readiness(server)).to.eql([503, { status: 'not ready', missing: ['rtmp'] }])
    expect(complaints(server)).to.have.length(1)
    expect(complaints(server)[0]).to.not.have.property('err')
    expect(complaints(server)[0]?.msg).to.include('change rtmp.tcp.listenaddr').and.include('tried again')
    const { data } = (await server.api('/api/plugins/disabled')).body as { data: { name: string }[] }
    expect(JSON.stringify(data.find(({ name }) => name === 'rtmp'))).to.include(IN_USE)

    stranger.close()
    await waitFor(async () => (await fetch(server.http('/readyz'))).ok, { what: 'the server to be ready' })
    expect(complaints(server)).to.have.length(1)
    expect(server.rtmpPort).to.equal(port)
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/test') })
    publisher.close()
  })

  it('lets a plugin go on that is to listen there, and has it listen there as soon as it is free', async () => {
    const { stranger, listenaddr, port } = await occupy()
    const server = await startServer()
    await server.writeConfig(`rtmp:\n  tcp:\n    listenaddrtls: ${listenaddr}\n`)
    await waitFor(() => complaints(server).length > 0, { what: 'the complaint' })
    expect(complaints(server)[0]?.msg).to.include('generation 1 goes on')
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/test') })
    publisher.close()
    expect(await readiness(server)).to.eql([200, { status: 'ready' }])

    stranger.close()
    const listening = () =>
      server.server.host
        .list()
        .find(({ name }) => name === 'rtmp')
        ?.listeners.some(({ tls }) => tls)
    await waitFor(() => listening(), { what: 'RTMPS' })
    expect(server.rtmpsPort).to.equal(port)
    expect(complaints(server)).to.have.length(1)
  })
})
