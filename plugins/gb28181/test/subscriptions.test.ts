import { expect } from 'chai'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { DeviceRig, headerOf } from '../fixtures/device-rig.ts'
import gb28181 from '../index.ts'
import { newKeptRegistry, type KeptRegistry } from '../registry/registry.ts'

it('GB28181: a device of SIPp is subscribed to, and again where it has forgotten that', async function () {
  requirePeer(this, 'sipp')
  let kept: KeptRegistry | undefined
  const rig = await DeviceRig.start(
    {},
    {
      ...gb28181,
      setup(ctx) {
        kept = ctx.keep('registry', newKeptRegistry)
        return gb28181.setup(ctx)
      },
    },
  )
  const device = await rig.device()
  await device.arrive()
  await rig.waitForMetric('channels', { state: 'on' }, 2)
  const notifier = device.begin('subscribe')
  // The plugin looks every few seconds who wants one.
  kept!.devices.get(device.id)!.subscribeCatalog = true
  const subscribe = await notifier.waitFor(/^SUBSCRIBE /u)
  expect(headerOf(subscribe, 'Event')).to.match(/^(?:presence|Catalog)/u)
  expect(headerOf(subscribe, 'Expires')).to.equal('600')
  expect(subscribe).to.match(/<Query>\s*<CmdType>Catalog<\/CmdType>/u)
  // What it tells counts: a channel is off.
  await rig.waitForMetric('channels', { state: 'off' }, 1)
  await notifier.succeed()
  const inCall = notifier
    .received(/^SUBSCRIBE /u)
    .filter((text) => headerOf(text, 'Call-ID') === headerOf(subscribe, 'Call-ID'))
  const [first, refresh] = [...new Set(inCall.map((text) => Number.parseInt(headerOf(text, 'CSeq')!)))]
  expect(refresh).to.be.above(first!)
  const renewed = device.begin('subscribe-early')
  const anew = await renewed.waitFor(/^SUBSCRIBE /u)
  expect(headerOf(anew, 'Call-ID')).to.not.equal(headerOf(subscribe, 'Call-ID'))
  await renewed.succeed()
  await rig.waitForMetric('channels', { state: 'off' }, 0)
})
