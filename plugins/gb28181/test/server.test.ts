import { expect } from 'chai'
import { ApiRig, PLATFORM_ID } from '../fixtures/api-rig.ts'

describe('the operations of the platform itself', () => {
  it('say where devices find it', async () => {
    const rig = await ApiRig.start({ sipip: '192.0.2.5' })
    const { data } = await rig.get('server/config')
    expect(data).to.include({
      localPort: rig.server.port('udp'),
      deviceGBId: PLATFORM_ID,
      deviceGBDomain: '3402000000',
    })
    expect((data as { localIPs: string[] }).localIPs[0]).to.equal('192.0.2.5')
    expect((await rig.get('testsip?testParam=hello'))['testResult']).to.match(
      /^hello: SIP listens on port \d+, 0 of 0/u,
    )
  })
})
