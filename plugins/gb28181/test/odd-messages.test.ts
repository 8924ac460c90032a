import { createSocket } from 'node:dgram'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { DeviceEvent, GbChannel, GbDevice, Quirk } from '../device/index.ts'
import { clipOf, faultOf, GbRig } from '../fixtures/rig.ts'

const NAMES = ['东门 1', '仓库㐀', '大堂']
const CHANNELS: readonly GbChannel[] = NAMES.map((name, index) => ({
  id: `3402000000131000000${index + 1}`,
  name,
  isOnline: index !== 1,
}))

type ListedChannel = { readonly channelId: string; readonly name: string; readonly status: string }

async function channelsOf(rig: GbRig, device: GbDevice): Promise<readonly ListedChannel[]> {
  const { body } = await rig.api(`devices/${device.id}/channels`)
  return body.data as readonly ListedChannel[]
}

/** The rows of gb28181.md 8 that are about messages. */
describe('messages of devices as they are', () => {
  const catalogs: readonly (readonly [name: string, quirks: readonly Quirk[]])[] = [
    ['NVR: catalog one item per message', ['catalog-one-by-one']],
    ['a catalog with duplicates', ['catalog-duplicates']],
    ['Any: status 0/1 instead of ON/OFF', ['status-digits']],
    ['the XML declaration lies', ['wrong-declaration']],
  ]
  for (const charset of ['GB2312', 'GB18030', 'UTF-8'] as const) {
    it(`are of any charset: ${charset}`, async () => {
      const rig = await GbRig.start()
      const runs = catalogs.map(async ([name, quirks], index) => {
        const id = `3402000000111000000${index}`
        const device = await rig.registered({ id, channels: CHANNELS, charset, quirks, pageSize: 2 })
        const listed = await channelsOf(rig, device)
        const told = CHANNELS.map(({ id: channelId, name: label, isOnline }) => {
          return { channelId, name: label, status: isOnline === false ? 'OFF' : 'ON' }
        })
        const found = listed.map(({ channelId, name: label, status }) => ({ channelId, name: label, status }))
        // GB2312 lacks a character of the second name, which the simulator writes as it can.
        const isExact = charset !== 'GB2312'
        const wanted = told.map((item, at) => (isExact || at !== 1 ? item : { ...item, name: found[at]?.name }))
        expect(found, name).to.eql(wanted)
      })
      await Promise.all(runs)
    })
  }

  it('NVR: malformed XML, a wrong SumNum, and a lost part', async () => {
    const rig = await GbRig.start()
    const lossy = {
      id: '34020000001110000003',
      channels: CHANNELS,
      pageSize: 1,
      quirks: ['catalog-lost-part'],
    } as const
    const cut = rig.device(lossy)
    await cut.start()
    const device = rig.device({ channels: CHANNELS, quirks: ['catalog-malformed'] })
    await device.start()
    await waitFor(async () => (await channelsOf(rig, device)).length >= 2)
    const ids = (await channelsOf(rig, device)).map(({ channelId }) => channelId)
    expect(ids).to.include.members([CHANNELS[0]!.id, CHANNELS[2]!.id])
    const other = rig.device({ id: '34020000001110000002', channels: CHANNELS, quirks: ['catalog-wrong-sum'] })
    await other.start()
    await waitFor(async () => (await channelsOf(rig, other)).length === CHANNELS.length)
    await waitFor(async () => (await channelsOf(rig, cut)).length === CHANNELS.length - 1)
  })

  it('a catalog of 10,000 channels, each of which can be watched', async () => {
    const rig = await GbRig.start()
    const clip = await clipOf()
    const device = await rig.registered({ channels: 10_000, pageSize: 100, transport: 'tcp', source: clip })
    const { body } = await rig.api(`devices/${device.id}/channels?page=100&count=100`)
    expect(body['total']).to.equal(10_000)
    const viewers = [0, 9999].map((channel) => rig.watch(rig.pathOf(device, channel)))
    for (const viewer of viewers) await viewer.received.wait(20)
    for (const viewer of viewers) expect(faultOf(viewer.received.frames, clip)).to.equal(undefined)
  })

  it('SRS: one device with several channels, each a stream of its own', async () => {
    const rig = await GbRig.start()
    const clip = await clipOf()
    const device = await rig.registered({ channels: 4, source: clip })
    const viewers = [0, 1, 2, 3].map((channel) => rig.watch(rig.pathOf(device, channel)))
    for (const viewer of viewers) await viewer.received.wait(20)
    expect(new Set(device.received.filter(({ method }) => method === 'INVITE').map(({ user }) => user)).size).to.equal(
      4,
    )
    for (const viewer of viewers) viewer.close()
    await rig.isAtRest()
  })

  it('Huawei: a keepalive of a device that is not known is refused, so that it registers again', async () => {
    const rig = await GbRig.start()
    const events: DeviceEvent[] = []
    const device = await rig.registered({ keepaliveMs: 100, onEvent: (event) => void events.push(event) })
    await rig.api(`device/remove/${device.id}`, {})
    await waitFor(() => events.filter(({ kind }) => kind === 'registered').length === 2)
    expect(events.some((event) => event.kind === 'keepalive' && event.status === 403)).to.equal(true)
    await waitFor(async () => (await channelsOf(rig, device)).length === 1)
  })

  it('Hikvision: each is answered with its own version; illegal keepalive parameters are no harm', async () => {
    const rig = await GbRig.start()
    const events: DeviceEvent[] = []
    const quirks: readonly Quirk[] = ['bad-keepalive-parameters']
    const device = rig.device({ version: '3.0', quirks, keepaliveMs: 100, onEvent: (event) => void events.push(event) })
    await device.start()
    await waitFor(() => events.filter((event) => event.kind === 'keepalive' && event.status === 200).length > 2)
    const registered = events.find((event) => event.kind === 'registered')
    expect(registered?.kind === 'registered' && registered.serverVersion).to.equal('3.0')
    expect((await rig.metric('devices')).get('state="online"')).to.equal(1)
  })

  it('NAT address changes: the next keepalive tells where the device is, and it is called there', async () => {
    const rig = await GbRig.start()
    const device = await rig.registered({ source: await clipOf(), keepaliveMs: 100 })
    await device.move()
    await rig.logged('a device has another address now', device.id)
    const viewer = rig.watch(rig.pathOf(device))
    await viewer.received.wait(5)
  })

  it('breaks on Date: it can be left out for a device', async () => {
    const rig = await GbRig.start()
    const device = rig.device({ quirks: ['breaks-on-date'], retryMs: 100 })
    await rig.api('device/add', { deviceId: device.id, sendDate: false })
    await device.start()
    await waitFor(async () => (await rig.metric('devices')).get('state="online"') === 1)
  })

  it('Uniview: the names of elements of a configuration differ from the type', async () => {
    const rig = await GbRig.start()
    const device = await rig.registered({ quirks: ['other-config-names'] })
    const { body } = await rig.api(`config/${device.id}/${device.id}?types=BasicParam`)
    expect(body.code).to.equal(0)
    expect(JSON.stringify(body.data)).to.match(/HeartBeatInterval/u)
  })

  it('Unisinsight: record times with zone, with milliseconds, and in any order', async () => {
    const rig = await GbRig.start()
    const nowMs = Math.floor(Date.now() / 1000) * 1000
    const recordings = [3, 2, 1].map((hours) => ({
      start: new Date(nowMs - hours * 3_600_000),
      end: new Date(nowMs - hours * 3_600_000 + 1_800_000),
    }))
    const quirks = ['record-zone-times', 'record-millisecond-times', 'record-reversed'] as const
    for (const [index, quirk] of quirks.entries()) {
      const device = await rig.registered({
        id: `3402000000111000001${index}`,
        recordings,
        quirks: [quirk],
        pageSize: 1,
      })
      const { body } = await rig.api(`records/${rig.pathOf(device)}?start=${nowMs - 86_400_000}&end=${nowMs}`)
      const starts = (body.data as { startTime: string }[]).map(({ startTime }) => Date.parse(startTime))
      expect(starts, quirk).to.eql(recordings.map(({ start }) => start.getTime()).toReversed())
    }
  })

  it('loss of the connection means offline, and the next one brings it back', async () => {
    const rig = await GbRig.start()
    const device = await rig.registered({ transport: 'tcp', retryMs: 100 })
    await device.reconnect()
    await rig.logged('a device is offline: its connection has ended', device.id)
    await waitFor(async () => (await rig.metric('devices')).get('state="online"') === 1)
  })
})

describe('media of strangers', () => {
  it('is left out, also with the right SSRC, and no viewer sees any of it', async () => {
    const rig = await GbRig.start()
    const clip = await clipOf()
    const device = await rig.registered({ source: clip, version: '1.0' })
    const viewer = rig.watch(rig.pathOf(device))
    await viewer.received.wait(20)
    const offer = device.received.find(({ method }) => method === 'INVITE')!.message.body.toString()
    const port = Number(/m=video (\d+)/u.exec(offer)?.[1])
    const ssrc = Number(/y=(\d+)/u.exec(offer)?.[1])
    const stranger = createSocket('udp4')
    keep({ close: () => void stranger.close() })
    for (let number = 0; number < 2000; number++) {
      const packet = Buffer.alloc(200, number)
      packet.writeUInt16BE(0x80e0, 0)
      packet.writeUInt16BE(number, 2)
      packet.writeUInt32BE(number % 2 === 0 ? ssrc : number, 8)
      stranger.send(packet, port, '127.0.0.1')
    }
    await viewer.received.wait(viewer.received.frames.length + 40)
    expect(faultOf(viewer.received.frames, clip)).to.equal(undefined)
    viewer.close()
    await rig.isAtRest()
  })
})
