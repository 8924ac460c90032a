import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'chai'
import { isRtcp, parseRtpPacket } from 'sluice/sdk/media'
import { ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import rtsp from '../../plugins/rtsp/index.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { RtspProbe } from '../support/rtsp/rtsp-probe.ts'

const PATH = 'live/many'
const GROUP = '239.255.42.0'
const MULTICAST = { Transport: 'RTP/AVP;multicast' }

async function start(config = {}) {
  const server = await createTestServer(rtsp, { config })
  keep({ close: () => server.stop() })
  const script = new ScriptedPublisher(await server.streams.publish(sessionInit(PATH)))
  script.write(5)
  const url = `rtsp://127.0.0.1:${server.port()}/${PATH}`
  return { server, script, url }
}

/** A socket of the group, at a port that is even and so one of RTP. */
async function groupSocket(): Promise<Socket> {
  for (;;) {
    const socket = createSocket('udp4').bind(0, GROUP)
    await once(socket, 'listening')
    const { port } = socket.address()
    if (port % 2 === 0 && port <= 65_000) {
      keep({ close: () => void socket.close() })
      return socket
    }
    socket.close()
  }
}

describe('RTSP by multicast', () => {
  it('sends a stream once to a group, for all who play it there', async function () {
    const socket = await groupSocket()
    const { port } = socket.address()
    const { server, script, url } = await start({ multicast: { address: GROUP, port } })
    const players = await Promise.all([1, 2].map(() => RtspProbe.connect({ port: server.port() })))
    const transports: string[] = []
    for (const player of players) {
      await player.request('DESCRIBE', url)
      const { headers } = await player.request('SETUP', `${url}/trackID=0`, { headers: MULTICAST })
      transports.push(headers.get('transport') ?? '')
    }
    expect(transports[0]).to.match(new RegExp(`destination=${GROUP}.*port=${port}-`, 'u'))
    expect(transports[1]).to.equal(transports[0])
    try {
      socket.addMembership(GROUP)
    } catch {
      // A machine without a network has nowhere to send to.
      this.skip()
    }
    const numbers: number[] = []
    socket.on('message', (packet) => {
      if (!isRtcp(packet)) numbers.push(parseRtpPacket(packet).sequenceNumber)
    })
    for (const player of players) expect((await player.request('PLAY', url)).status).to.equal(200)
    await waitFor(
      () => {
        script.write(1)
        return numbers.length >= 10
      },
      { what: 'ten packets' },
    )
    const first = numbers[0]!
    expect(numbers).to.eql(numbers.map((_, index) => (first + index) & 0xffff))
    for (const player of players) player.close()
    expect(server.problems).to.eql([])
  })

  it('is refused where the operator has given it no address', async () => {
    const { server, url } = await start({ multicast: { address: '' } })
    const player = await RtspProbe.connect({ port: server.port() })
    await player.request('DESCRIBE', url)
    expect((await player.request('SETUP', `${url}/trackID=0`, { headers: MULTICAST })).status).to.equal(461)
  })

  for (const address of ['10.0.0.1', '239.255.42.256', '239.255.42', 'ff02::1']) {
    it(`is not given ${address} for an address`, async () => {
      const error = await start({ multicast: { address } }).catch((thrown: unknown) => thrown)
      expect(error).to.be.an('error').with.property('message').that.includes('multicast.address')
    })
  }
})
