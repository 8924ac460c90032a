import { expect } from 'chai'
import { freePort } from '../peers/free-port.ts'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { WhepClient } from '../support/webrtc/whep-client.ts'

const NAME = 'numbered'

describe('WebRTC, when its plugin is loaded anew or ends', () => {
  async function start(port = 0): Promise<RunningServer> {
    const server = await startServer({ env: { SLUICE_WEBRTC_PORT: `[udp:${port}, tcp:${port}]` } })
    const { client } = await NumberedPublisher.start({ port: server.rtmpPort, name: NAME, fps: 25, sizeBytes: 2000 })
    client.socket.on('error', () => {})
    return server
  }

  async function play(server: RunningServer): Promise<WhepClient> {
    const viewer = await WhepClient.play({ origin: server.http(''), target: `live/${NAME}` })
    await picturesCome(viewer)
    return viewer
  }

  function picturesCome(viewer: WhepClient): Promise<unknown> {
    const before = viewer.pictureCount
    return waitFor(() => viewer.pictureCount > before + 5, { what: 'pictures' })
  }

  const generationOf = (server: RunningServer) => server.server.host.list().find(({ name }) => name === 'webrtc')

  it('goes on with the sessions that run, which can be changed and ended still, and takes new ones', async () => {
    const port = await freePort()
    const server = await start(port)
    const older = await play(server)
    await server.writeConfig('webrtc: { auth_timeout: 6s }')
    await waitFor(() => generationOf(server)?.generation === 2, { what: 'the newer generation' })
    await picturesCome(older)
    const newer = await play(server)
    expect(newer.answer.port).to.equal(port)
    expect(
      (await older.request('PATCH', 'm=video 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\na=end-of-candidates\r\n')).status,
    ).to.equal(204)
    expect((await older.request('DELETE')).status).to.equal(200)
    await waitFor(() => older.isToldOfEnd, { what: 'the viewer to be told' })
    await picturesCome(newer)
    const ended = () => server.records.some(({ msg }) => msg.startsWith('generation 1 has ended'))
    await waitFor(ended, { what: 'the older generation to end' })
    expect(server.problems).to.eql([])
  })

  it('tells its viewers that the server stops', async () => {
    const server = await start()
    const viewers = [await play(server), await play(server)]
    await server.stop()
    await waitFor(() => viewers.every(({ isToldOfEnd }) => isToldOfEnd), { what: 'the viewers to be told' })
  })
})
