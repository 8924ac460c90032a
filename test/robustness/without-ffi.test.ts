import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { WhepClient } from '../support/webrtc/whep-client.ts'
import { HealthySession } from './support/healthy-session.ts'
import { NumberCheck } from './support/numbered-video.ts'
import { ServerProcess } from './support/server-process.ts'

const PICTURES = 100
/** Two groups of pictures: a viewer may skip to the second while it catches up with the live edge. */
const FIRST_PICTURES = 50

describe('a Node without node:ffi', () => {
  it('sends WebRTC by node:crypto and node:dgram, each picture in order', async () => {
    const server = await ServerProcess.start('', ['--no-experimental-ffi'])
    const healthy = await HealthySession.start(server)
    const check = new NumberCheck()
    const origin = `http://127.0.0.1:${server.ports.http}`
    const viewer: WhepClient = await WhepClient.play({
      origin,
      target: 'live/healthy',
      onPicture: (bytes) => {
        if (viewer.pictureCount > FIRST_PICTURES) check.receiveLast(bytes)
      },
    })
    await waitFor(() => check.count >= PICTURES, { what: 'pictures by WHEP' })
    expect(check.gaps).to.eql([])
    expect(server.lines.find(({ msg }) => msg === 'WebRTC is ready')).to.include({ encryption: 'node:crypto' })
    expect(server.lines.map(({ msg }) => msg)).to.include('UDP is sent by Node, one datagram at a time')
    expect(server.problems).to.eql([])
    viewer.vanish()
    healthy.close()
    await server.stop()
  })
})
