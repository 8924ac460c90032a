import { expect } from 'chai'
import { freeTcpUdpPort } from '../../../test/peers/free-port.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { ClipAudio } from '../device/index.ts'
import { clipOf, faultOf, GbRig, type RigInit } from '../fixtures/rig.ts'

const FRAMES = 40
const SOUNDS: readonly ClipAudio[] = ['pcma', 'pcmu', 'aac', 'none']
const CASES = (['h264', 'h265'] as const).flatMap((codec) => SOUNDS.map((audio) => ({ codec, audio })))

describe('live media of devices', () => {
  const ways = [
    { name: 'UDP', mode: 'UDP', transport: 'udp' },
    { name: 'TCP passive', mode: 'TCP-PASSIVE', transport: 'udp' },
    { name: 'TCP passive, with SIP by TCP', mode: 'TCP-PASSIVE', transport: 'tcp' },
    { name: 'TCP active', mode: 'TCP-ACTIVE', transport: 'tcp' },
    { name: 'UDP to one port', mode: 'UDP', transport: 'udp', isOnePort: true },
    { name: 'TCP to one port', mode: 'TCP-PASSIVE', transport: 'udp', isOnePort: true },
  ] as const

  for (const { name, mode, transport, ...more } of ways) {
    it(`comes by ${name}: all pictures in order, with sound, of each codec, at once`, async () => {
      const init: RigInit = 'isOnePort' in more ? { config: [`mediaport: ${await freeTcpUdpPort()}`] } : {}
      const rig = await GbRig.start(init)
      const runs = CASES.map(async ({ codec, audio }, index) => {
        const clip = await clipOf({ codec, audio })
        const device = await rig.registered({ id: `3402000000132000001${index}`, transport, source: clip })
        await rig.setMode(device, mode)
        const viewer = rig.watch(rig.pathOf(device))
        await viewer.received.wait(FRAMES)
        const { frames, tracks } = viewer.received
        expect(faultOf(frames, clip), `${codec} ${audio}`).to.equal(undefined)
        expect(tracks.map((track) => track.codec)).to.have.members(audio === 'none' ? [codec] : [codec, audio])
        viewer.close()
      })
      await Promise.all(runs)
      await rig.isAtRest()
    })
  }

  it('is one call for several viewers, and ends with the last of them', async () => {
    const rig = await GbRig.start()
    const device = await rig.registered({ source: await clipOf() })
    const viewers = [1, 2, 3].map(() => rig.watch(rig.pathOf(device)))
    for (const viewer of viewers) await viewer.received.wait(5)
    expect(device.sessions).to.have.length(1)
    for (const viewer of viewers) viewer.close()
    await waitFor(() => device.sessions.length === 0)
    expect(device.received.filter(({ method }) => method === 'INVITE')).to.have.length(1)
    expect(device.received.filter(({ method }) => method === 'BYE')).to.have.length(1)
    await rig.isAtRest()
  })

  it('goes on when a device has ended it, while somebody watches', async () => {
    const rig = await GbRig.start()
    const device = await rig.registered({ source: await clipOf(), quirks: ['bye-after=0.5'] })
    const viewer = rig.watch(rig.pathOf(device))
    await waitFor(() => device.received.filter(({ method }) => method === 'INVITE').length >= 3)
    await viewer.received.wait(30)
    viewer.close()
    await rig.isAtRest()
  })

  it('is refused for channels that are not there, and for devices that are offline', async () => {
    const rig = await GbRig.start({
      config: ['subscribe: { waittimeout: 1s }'],
      sections: 'flv: { subscribe: { waittimeout: 1s } }\n',
    })
    const device = await rig.registered({ source: await clipOf() })
    expect(await rig.watch(`${device.id}/34020000001310009999`).status).to.equal(404)
    expect(await rig.watch(`34020000001320000009/${device.channels[0]!.id}`).status).to.equal(404)
    await device.stop()
    expect(await rig.watch(rig.pathOf(device)).status).to.equal(404)
    await rig.isAtRest()
  })

  it('leaves no SSRC and no call, however a call ends', async () => {
    const rig = await GbRig.start({
      config: ['invitetimeout: 1s', 'publish: { delayclosetimeout: 50ms, idletimeout: 50ms }'],
    })
    const quirks = ['refuse=486', 'refuse=488', 'refuse=404', 'trying-only', 'silent', 'bye-after=0.2', 'no-y'] as const
    const runs = quirks.map(async (quirk, index) => {
      const id = `3402000000132000002${index}`
      const device = await rig.registered({ id, source: await clipOf(), quirks: [quirk] })
      const viewer = rig.watch(rig.pathOf(device))
      await waitFor(
        () => device.received.filter(({ method }) => method === 'INVITE').length >= (quirk === 'no-y' ? 1 : 2),
      )
      viewer.close()
    })
    await Promise.all(runs)
    await rig.isAtRest()
  })
})
