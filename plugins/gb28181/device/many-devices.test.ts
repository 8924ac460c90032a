import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { DeviceSite } from './device-site.ts'
import { CHANNEL_ID } from './fixtures/rig.ts'
import { headerIn, PASSWORD, TestPlatform } from './fixtures/test-platform.ts'
import { GbDevice } from './gb-device.ts'

const COUNT = 1000

describe('many devices in one process', () => {
  it('share a socket, and each gets what is for it', async () => {
    const platform = await TestPlatform.start({ algorithm: 'MD5' })
    const site = new DeviceSite({ sharesSocket: true })
    const devices = Array.from(
      { length: COUNT },
      (_, index) =>
        new GbDevice({
          id: `3402000000111${String(index).padStart(7, '0')}`,
          server: platform.server,
          password: PASSWORD,
          channels: index === 7 ? [{ id: CHANNEL_ID, name: 'one' }] : 0,
          site,
        }),
    )
    keep({ close: () => devices.forEach((device) => device.kill()) })
    for (let at = 0; at < COUNT; at += 50) {
      await Promise.all(devices.slice(at, at + 50).map((device) => device.start()))
    }
    expect(new Set(devices.map(({ port }) => port)).size).to.equal(1)
    await Promise.all([7, 500].map((index) => platform.tell(devices[index]!.id, 'Query', 'DeviceInfo')))
    await platform.tell(CHANNEL_ID, 'Control', 'DeviceControl', '<IFrameCmd>Send</IFrameCmd>')
    expect(devices[7]!.received.map(({ user }) => user)).to.eql([devices[7]!.id, CHANNEL_ID])
    expect(devices[500]!.received).to.have.length(1)
    expect(devices[0]!.received).to.eql([])
    for (let at = 0; at < COUNT; at += 50) {
      await Promise.all(devices.slice(at, at + 50).map((device) => device.stop()))
    }
    // Requests that the machine has lost are sent again.
    const ended = platform.requests('REGISTER').filter((message) => headerIn(message, 'Expires') === '0')
    expect(new Set(ended.map((message) => headerIn(message, 'To'))).size).to.equal(COUNT)
  })
})
