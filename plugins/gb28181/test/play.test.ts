import { expect } from 'chai'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import type { Sipp } from '../../../test/peers/sipp.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { FlvViewer } from '../../../test/support/flv-viewer.ts'
import { CHANNELS, DeviceRig, headerOf, scenarioOf, type SippDevice } from '../fixtures/device-rig.ts'
import { offerOf, PsSender } from '../fixtures/ps-sender.ts'

const [CHANNEL] = CHANNELS
/** Devices of 2011 send media by UDP alone. */
const UDP_ALONE = '\r\nX-GB-Ver: 1.0'
const INVITE = /^INVITE /u
const PICTURES = 10
/** Streams end with their last viewer, and viewers wait for the test. */
const PUBLISH = { delayclosetimeout: '100ms', idletimeout: '100ms' }
const SUBSCRIBE = { waittimeout: '60s' }
const NOWHERE = { port: '9' }

describe('GB28181: devices of SIPp are watched', () => {
  let rig: DeviceRig
  let device: SippDevice
  let byUdp: SippDevice
  before(async function () {
    requirePeer(this, 'sipp')
    rig = await DeviceRig.start({ publish: PUBLISH, subscribe: SUBSCRIBE })
    device = await arrived(rig)
    byUdp = await arrived(rig, UDP_ALONE)
  })
  // Whichever way a call ends, what it had goes back.
  after(() => rig.waitForMetric('used_ssrcs', {}, 0))

  for (const { way, media } of [
    { way: 'UDP', media: /^m=video \d+ RTP\/AVP 96\r$/mu },
    { way: 'TCP', media: /^m=video \d+ TCP\/RTP\/AVP 96\r$[^]*^a=setup:passive\r$/mu },
  ]) {
    it(`by ${way}, until the last viewer has left`, async () => {
      const watched = way === 'UDP' ? byUdp : device
      const call = watched.begin('play', { keys: NOWHERE })
      const viewers = [watch(rig, watched), watch(rig, watched)]
      const invite = await call.waitFor(INVITE)
      // Some devices reset the connection when another than the channel is asked.
      expect(invite).to.match(new RegExp(`^INVITE sip:${CHANNEL}@127\\.0\\.0\\.1:${watched.port} SIP/2\\.0\r\n`, 'u'))
      const ssrc = /^y=(0\d{9})\r?$/mu.exec(invite)?.[1]
      expect(headerOf(invite, 'Subject')).to.equal(`${CHANNEL}:${ssrc},34020000002000000001:0`)
      expect(invite).to.match(media)
      await PsSender.start(offerOf(invite))
      for (const viewer of viewers) await viewer.received.wait(PICTURES)
      expect(viewers[0]!.received.frames[0]).to.include({ codec: 'h264', keyframe: true })
      expect(call.received(INVITE)).to.have.length(1)
      viewers[0]!.close()
      await viewers[1]!.received.wait(viewers[1]!.received.frames.length + PICTURES)
      expect(call.received(/^BYE /u)).to.eql([])
      viewers[1]!.close()
      await call.succeed()
    })
  }

  it('by UDP where they refuse TCP', async () => {
    const refusal = device.begin(refusalWith('488 Not Acceptable Here'))
    const viewer = watch(rig, device)
    expect(offerOf(await refusal.waitFor(INVITE))).to.include({ isTcp: true })
    await refusal.succeed()
    const { call, offer } = await answered(device, 'play')
    expect(offer.isTcp).to.equal(false)
    await seesPictures(viewer, offer)
    viewer.close()
    await call.succeed()
  })

  for (const refusal of ['486 Busy Here', '404 Not Found']) {
    it(`once they no longer answer ${refusal}`, async () => {
      const refused = device.begin(refusalWith(refusal))
      const viewer = watch(rig, device)
      await refused.succeed()
      const { call, offer } = await answered(device, 'play')
      await seesPictures(viewer, offer)
      viewer.close()
      await call.succeed()
    })
  }

  for (const { name, change } of [
    {
      name: 'without a tag',
      change: (text: string) => text.replace('[last_To:];tag=[pid]-[call_number]', '[last_To:]'),
    },
    { name: 'without y=', change: (text: string) => text.replace('y=[$ssrc]', 'a=no') },
    { name: 'without Contact', change: (text: string) => text.replace(/Contact: .*\n/u, '') },
    {
      name: 'with lines of a recorder',
      change: (text: string) => text.replace('y=[$ssrc]', 'y=[$ssrc]\nf=v/2/4/25/1/2048a/1/8/1'),
    },
  ]) {
    it(`where they answer ${name}`, async () => {
      const scenario = change(scenarioOf('play'))
      expect(scenario).to.not.equal(scenarioOf('play'))
      const viewer = watch(rig, device)
      const { call, offer } = await answered(device, scenario)
      await seesPictures(viewer, offer)
      viewer.close()
      await call.succeed()
    })
  }

  for (const { name, scenario } of [
    { name: 'and say so', scenario: scenarioOf('play').replace('y=[$ssrc]', 'y=0200009999') },
    { name: 'and do not say so', scenario: 'play' },
  ]) {
    it(`where they send another SSRC than they were told, ${name}`, async () => {
      const viewer = watch(rig, byUdp)
      const { call, offer } = await answered(byUdp, scenario)
      await PsSender.start(offer, 200_009_999)
      await viewer.received.wait(PICTURES)
      viewer.close()
      await call.succeed()
    })
  }

  it('again where they have ended the call', async () => {
    const call = device.begin('play', { keys: NOWHERE, calls: 2 })
    const viewer = watch(rig, device)
    const sender = await PsSender.start(offerOf(await call.waitFor(INVITE)))
    await viewer.received.wait(PICTURES)
    await hangUp(rig, device, call)
    sender.close()
    const invite = await call.waitFor(INVITE, 2)
    expect(headerOf(invite, 'Call-ID')).to.not.equal(headerOf(call.received(INVITE)[0]!, 'Call-ID'))
    const seen = viewer.received.frames.length
    await PsSender.start(offerOf(invite))
    await viewer.received.wait(seen + PICTURES)
    viewer.close()
    await call.waitFor(/^BYE /u)
    expect(viewer.received.frames.slice(seen).some(({ keyframe }) => keyframe)).to.equal(true)
  })
})

describe('GB28181: devices of SIPp are given up', () => {
  let rig: DeviceRig
  let device: SippDevice
  before(async function () {
    requirePeer(this, 'sipp')
    rig = await DeviceRig.start({ publish: PUBLISH, subscribe: SUBSCRIBE, invitetimeout: '1500ms' })
    device = await arrived(rig)
  })
  after(() => rig.waitForMetric('used_ssrcs', {}, 0))

  for (const { name, scenario } of [
    { name: 'when they do not answer in time', scenario: 'late' },
    { name: 'when they do not answer in time, also where they agree after all', scenario: 'too-late' },
    { name: 'when they send no media', scenario: 'play' },
  ]) {
    it(`${name}, and asked again while somebody watches`, async () => {
      const viewer = watch(rig, device)
      const call = device.begin(scenario, { keys: NOWHERE })
      const first = await call.waitFor(INVITE)
      await call.succeed()
      const { call: second, invite } = await answered(device, 'play')
      expect(headerOf(invite, 'Call-ID')).to.not.equal(headerOf(first, 'Call-ID'))
      await second.waitFor(/^ACK /u)
      viewer.close()
      await second.succeed()
    })
  }

  for (const { name, scenario } of [
    { name: 'ring on', scenario: 'late' },
    { name: 'say nothing', scenario: 'silent' },
  ]) {
    it(`when the viewer has left, and they ${name}`, async () => {
      const viewer = watch(rig, device)
      const call = device.begin(scenario)
      await call.waitFor(INVITE)
      viewer.close()
      await call.succeed()
    })
  }
})

it('GB28181: a device of SIPp is watched by its own connection', async function () {
  requirePeer(this, 'sipp')
  const rig = await DeviceRig.start({ publish: PUBLISH })
  const device = await rig.device()
  const connected = device.begin('register-and-stay', { transport: 'TCP', answers: scenarioOf('calls-of-device') })
  await waitFor(() => rig.linesOf(device.id).includes('the catalog of a device was fetched'))
  const viewer = watch(rig, device)
  const invite = await connected.waitFor(INVITE)
  expect(headerOf(invite, 'Contact')).to.match(/;transport=tcp>$/u)
  await seesPictures(viewer, offerOf(invite))
  viewer.close()
  await connected.waitFor(/^BYE /u)
  await rig.waitForMetric('calls', {}, 0)
  await connected.close()
  await rig.waitForMetric('devices', { state: 'online' }, 0)
})

async function arrived(rig: DeviceRig, headers = ''): Promise<SippDevice> {
  const device = await rig.device()
  await device.arrive(headers)
  return device
}

function watch(rig: DeviceRig, { id }: SippDevice): FlvViewer {
  return new FlvViewer(`${rig.server.origin}/flv/${id}/${CHANNEL}.flv`)
}

function refusalWith(status: string): string {
  return scenarioOf('refuse').replace('486 Busy Here', status)
}

/** Has a device answer the next call. */
async function answered(device: SippDevice, scenario: string) {
  const call = device.begin(scenario, { keys: NOWHERE })
  const invite = await call.waitFor(INVITE)
  return { call, invite, offer: offerOf(invite) }
}

async function seesPictures(viewer: FlvViewer, offer: ReturnType<typeof offerOf>): Promise<void> {
  await PsSender.start(offer)
  await viewer.received.wait(PICTURES)
}

/** Has a device end the call that it has answered. */
async function hangUp(rig: DeviceRig, device: SippDevice, call: Sipp): Promise<void> {
  const answer = call.messages.find(({ isSent, text }) => isSent && text.startsWith('SIP/2.0 200 '))!.text
  const header = (name: string) => headerOf(answer, name) ?? ''
  const other = await rig.device(device.id)
  const keys = { callee: header('To'), caller: header('From') }
  await other.run('bye', { callId: header('Call-ID'), keys })
}
