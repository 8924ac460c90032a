import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { freeTcpUdpPort } from '../../../test/peers/free-port.ts'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { DeviceEvent } from '../device/index.ts'
import { clipOf, faultOf, GbRig } from '../fixtures/rig.ts'

describe('a reload of GB28181', () => {
  const CASES = [
    { transport: 'udp', mode: 'UDP' },
    { transport: 'udp', mode: 'TCP-PASSIVE' },
    { transport: 'tcp', mode: 'TCP-PASSIVE' },
    { transport: 'tcp', mode: 'TCP-ACTIVE' },
    { transport: 'tcp', mode: 'UDP' },
  ] as const

  for (const isOnePort of [false, true]) {
    it(`goes by devices and their streams unnoticed${isOnePort ? ', with one port for media' : ''}`, async () => {
      const [sip, media] = [await freeTcpUdpPort(), await freeTcpUdpPort()]
      const rig = await GbRig.start({
        config: isOnePort ? [`mediaport: ${media}`] : [],
        env: { SLUICE_GB28181_SIP_LISTENADDR: `["udp::${sip}", "tcp::${sip}"]` },
      })
      const clip = await clipOf()
      const runs = await Promise.all(
        CASES.map(async ({ transport, mode }, index) => {
          const events: DeviceEvent[] = []
          const device = await rig.registered({
            id: `3402000000132000003${index}`,
            transport,
            source: clip,
            keepaliveMs: 100,
            onEvent: (event) => events.push(event),
          })
          await rig.setMode(device, mode)
          const viewer = rig.watch(rig.pathOf(device))
          await viewer.received.wait(20)
          return { name: `${transport} ${mode}`, device, viewer, events }
        }),
      )
      const more = async (frames: number) => {
        const wanted = runs.map(({ viewer }) => viewer.received.frames.length + frames)
        await Promise.all(runs.map(({ viewer }, index) => viewer.received.wait(wanted[index]!)))
      }
      for (const round of [1, 2]) {
        await rig.reload()
        await more(30 * round)
      }
      for (const { name, device, viewer, events } of runs) {
        expect(faultOf(viewer.received.frames, clip), name).to.equal(undefined)
        expect(
          events.filter(({ kind }) => kind === 'registered'),
          name,
        ).to.have.length(1)
        const keepalives = events.flatMap((event) => (event.kind === 'keepalive' ? [event.status] : []))
        expect(new Set(keepalives), name).to.eql(new Set([200]))
        viewer.close()
        await waitFor(() => device.sessions.length === 0)
        expect(
          device.received.filter(({ method }) => method === 'BYE'),
          name,
        ).to.have.length(1)
        expect(
          device.received.filter(({ method }) => method === 'INVITE'),
          name,
        ).to.have.length(1)
      }
      const ended = () => rig.server.records.filter(({ msg }) => /^generation [12] has ended/u.test(msg)).length === 2
      await waitFor(ended, { what: 'the older generations to end' })
      await rig.isAtRest()
      expect(rig.server.problems).to.eql([])
    })
  }

  it('leaves queries, subscriptions and playback to those who have asked', async () => {
    const sip = await freeTcpUdpPort()
    const rig = await GbRig.start({ env: { SLUICE_GB28181_SIP_LISTENADDR: `["udp::${sip}", "tcp::${sip}"]` } })
    const clip = await clipOf()
    const [start, end] = [new Date(Date.now() - 600_000), new Date(Date.now() - 300_000)]
    const device = await rig.registered({ transport: 'tcp', source: clip, recordings: [{ start, end }] })
    const streamPath = `gb_1/${rig.pathOf(device)}`
    const viewer = rig.watch(`${streamPath}?start=${start.getTime()}&end=${end.getTime()}`)
    await viewer.received.wait(10)
    await rig.reload()
    expect((await rig.api(`playback/pause?streamPath=${streamPath}`)).body.code).to.equal(0)
    expect((await rig.api(`playback/resume?streamPath=${streamPath}`)).body.code).to.equal(0)
    await viewer.received.wait(viewer.received.frames.length + 20)
    const infos = device.received.filter(({ method }) => method === 'INFO')
    expect(infos).to.have.length(2)
    viewer.close()
    await waitFor(() => device.sessions.length === 0)
    await rig.isAtRest()
  })
})

describe('a restart of the server', () => {
  it('leaves devices known and online: they are played at once, before they say anything', async () => {
    const env = await placeOfItsOwn()
    const rig = await GbRig.start({ env })
    const clip = await clipOf()
    const device = await rig.registered({ source: clip, keepaliveMs: 600_000, expires: 86_400 })
    await rig.server.stop()
    const again = await GbRig.start({ env })
    const viewer = again.watch(again.pathOf(device))
    await viewer.received.wait(10)
    expect(faultOf(viewer.received.frames, clip)).to.equal(undefined)
    expect(device.received.filter(({ method }) => method === 'INVITE')).to.have.length(1)
    viewer.close()
    await again.isAtRest()
  })

  it('gives devices all their time to be heard again, but not those whose connection is lost', async () => {
    const env = await placeOfItsOwn()
    const rig = await GbRig.start({ env })
    const byUdp = await rig.registered({ id: '34020000001320000001' })
    const byTcp = await rig.registered({ id: '34020000001320000002', transport: 'tcp', retryMs: 600_000 })
    await rig.server.stop()
    const stoppedMs = Date.now()
    const again = await GbRig.start({ env })
    const listed = async (status: number) => {
      const { body } = await again.api(`list?status=${status}`)
      return body.data as readonly { readonly deviceId: string; readonly keepAliveTime: string }[]
    }
    const [online, ...others] = await listed(1)
    expect([online?.deviceId, others]).to.eql([byUdp.id, []])
    expect(Date.parse(online!.keepAliveTime)).to.be.at.least(stoppedMs)
    expect((await listed(0)).map(({ deviceId }) => deviceId)).to.eql([byTcp.id])
  })
})

/** The environment of a server whose ports of SIP and whose data are there again after a restart. */
async function placeOfItsOwn(): Promise<Readonly<Record<string, string>>> {
  const sip = await freeTcpUdpPort()
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-data-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  return {
    SLUICE_GB28181_SIP_LISTENADDR: `["udp::${sip}", "tcp::${sip}"]`,
    SLUICE_GLOBAL_DATADIR: path.join(folder, 'data'),
  }
}
