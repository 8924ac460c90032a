import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'chai'
import type { Subscriber } from 'sluice/sdk'
import { isRtcp, parseRtpPacket } from 'sluice/sdk/media'
import { pushRequest } from 'sluice/sdk/testing'
import { isUdpPortFree } from '../../../test/peers/free-port.ts'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { RtspProbe } from '../../../test/support/rtsp/rtsp-probe.ts'
import { ScriptedSource } from '../../../test/support/rtsp/scripted-source.ts'
import { isGoodbye, openClientPorts, overUdp, type ClientPorts } from '../fixtures/client-ports.ts'
import { HeldTimers } from '../fixtures/held-timers.ts'
import { RtspRig, type RigStream } from '../fixtures/rtsp-rig.ts'
import { parseTransports } from '../wire/transport.ts'

/** More than leaves in one burst, and less than leaves in two. */
const PICTURES = 120
const SCRIPT = { audio: false, gopFrames: 1000, unitBytes: 1000 } as const
/** How long players have for the last datagrams. */
const GOODBYE_DELAY_MS = 200

describe('the goodbye of RTSP over UDP', () => {
  let rig: RtspRig
  let timers: HeldTimers
  let ports: ClientPorts
  let stream: RigStream
  beforeEach(async () => {
    timers = new HeldTimers()
    // Players end as soon as their publisher does.
    // A group of its own, for other tests run meanwhile; below the ports that the kernel and players choose.
    const multicast = { address: `239.255.${randomInt(256)}.0`, port: 10_000 + 2 * randomInt(4999) }
    rig = await RtspRig.start({ subscribe: { waittimeout: '1ms' }, multicast }, timers.plugin)
    ports = await openClientPorts()
    stream = await rig.publish('live/a', SCRIPT, PICTURES)
  })
  afterEach(() => expect(rig.server.problems).to.eql([]))

  const pictures = () => ports.packets.filter((packet) => !isRtcp(packet) && parseRtpPacket(packet).marker).length
  const goodbyes = () => ports.reports.filter(isGoodbye).length

  /** Plays, up to the first burst: the second waits. */
  async function play(): Promise<RtspProbe> {
    const probe = await rig.connect()
    expect((await rig.play(probe, 'live/a', overUdp(ports))).status).to.equal(200)
    await waitFor(() => pictures() >= PICTURES / 2, { what: 'the first burst' })
    expect(pictures()).to.be.below(PICTURES)
    return probe
  }

  async function endOfPlayers(): Promise<void> {
    await waitFor(() => rig.server.streams.subscribers('live/a').length === 0, { what: 'the players to end' })
  }

  /** Lets all timers run out but that of the goodbye, which is to be the last. */
  function sendTheRest(): void {
    while (timers.delaysMs[0] !== GOODBYE_DELAY_MS) expect(timers.runOut(), 'a timer').to.equal(true)
    expect(timers.delaysMs).to.eql([GOODBYE_DELAY_MS])
  }

  it('follows all that was to be sent, a moment after the last datagram, and frees the ports', async () => {
    const sources = new Set<number>()
    ports.rtp.on('message', (_, { port }) => sources.add(port))
    await play()
    stream.publisher.close()
    await endOfPlayers()
    sendTheRest()
    await waitFor(() => pictures() === PICTURES, { what: 'all pictures' })
    expect(goodbyes()).to.equal(0)
    timers.runOut()
    await waitFor(() => goodbyes() === 1, { what: 'the goodbye' })
    expect([pictures(), timers.delaysMs]).to.eql([PICTURES, []])
    const [port] = sources
    for (const number of [port!, port! + 1]) await waitFor(() => isUdpPortFree(number), { what: `port ${number}` })
  })

  it('goes at once when the server stops, which waits for nothing', async () => {
    await play()
    stream.publisher.close()
    await endOfPlayers()
    sendTheRest()
    await rig.server.stop()
    await waitFor(() => goodbyes() === 1, { what: 'the goodbye' })
    expect(timers.delaysMs).to.eql([])
  })

  it('goes at once to who plays when the server stops', async () => {
    await play()
    await rig.server.stop()
    await waitFor(() => goodbyes() === 1, { what: 'the goodbye' })
    expect(timers.delaysMs).to.eql([])
  })

  it('goes at once to a client that leaves, and nothing after it', async () => {
    const probe = await play()
    await probe.request('TEARDOWN', rig.url())
    await waitFor(() => goodbyes() === 1, { what: 'the goodbye' })
    expect(timers.delaysMs).to.eql([])
    expect(pictures()).to.be.below(PICTURES)
  })

  it('ends a push before it leaves its target', async () => {
    const target = await ScriptedSource.start({
      script: ({ method, headers }) => {
        if (method !== 'SETUP') return undefined
        const transport = `${headers.get('transport')};server_port=${ports.port}-${ports.port + 1}`
        return { headers: { Session: 'scripted', Transport: transport } }
      },
    })
    let subscriber: Subscriber | undefined
    const begun = (pushing: Subscriber) => (subscriber = pushing)
    const request = pushRequest({ url: target.url('', 'rtspu'), streamPath: 'live/a', begun })
    const pushed = rig.server.ctx.services.get('push:rtsp')!.push(request)
    await waitFor(() => pictures() >= PICTURES / 2, { what: 'the first burst' })
    subscriber?.close('enough')
    await endOfPlayers()
    sendTheRest()
    await waitFor(() => pictures() === PICTURES, { what: 'all pictures' })
    expect([goodbyes(), target.methods.at(-1)]).to.eql([0, 'RECORD'])
    timers.runOut()
    expect(await pushed).to.include({ text: 'enough' })
    await waitFor(() => goodbyes() === 1 && target.methods.at(-1) === 'TEARDOWN', { what: 'the end' })
    expect([pictures(), timers.delaysMs]).to.eql([PICTURES, []])
  })

  it('is said to a multicast group, whose address nobody else has until then', async function () {
    const setUp = async (streamPath = 'live/a') => {
      const probe = await rig.connect()
      const { headers } = await rig.setUp(probe, streamPath, 'RTP/AVP;multicast')
      const [transport] = parseTransports(headers.get('transport') ?? '')
      return { probe, address: transport!.destination!, port: transport!.port!.first }
    }
    const { probe, address, port } = await setUp()
    const [rtp, rtcp] = [await join(address, port), await join(address, port + 1)]
    if (rtp === undefined || rtcp === undefined) this.skip()
    rtp.on('message', (packet) => ports.packets.push(packet))
    rtcp.on('message', (packet) => ports.reports.push(packet))
    await probe.request('PLAY', rig.url())
    await waitFor(() => pictures() >= PICTURES / 2, { what: 'the first burst' })
    await probe.request('TEARDOWN', rig.url())
    sendTheRest()
    await waitFor(() => pictures() === PICTURES, { what: 'all pictures' })
    expect(goodbyes()).to.equal(0)
    expect((await setUp()).address).not.to.equal(address)
    timers.runOut()
    await waitFor(() => goodbyes() === 1, { what: 'the goodbye' })
    await rig.publish('live/b')
    expect((await setUp('live/b')).address).to.equal(address)
  })
})

/** A socket in a multicast group; undefined on a machine without a network, which has nowhere to send to. */
async function join(address: string, port: number): Promise<Socket | undefined> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  keep({ close: () => void socket.close() })
  socket.bind(port, address)
  await once(socket, 'listening')
  try {
    socket.addMembership(address)
    return socket
  } catch {
    return undefined
  }
}
