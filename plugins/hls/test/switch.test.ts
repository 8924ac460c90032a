import { expect } from 'chai'
import { presentationOf, SwitchRig } from '../fixtures/switch-rig.ts'

describe('an HLS viewer that is switched to another stream', () => {
  let rig: SwitchRig
  beforeEach(async () => {
    rig = await SwitchRig.start()
    await rig.publish('live/a')
    await rig.publish('live/b', { gopFrames: 20 })
  })
  afterEach(async () => {
    expect(rig.server.problems).to.eql([])
    await rig.server.stop()
  })

  for (const format of ['llhls', 'fmp4', 'ts'] as const) {
    it(`goes on with that one's segments, and back, in ${format}; others stay`, async () => {
      const viewer = await rig.watch('live/a', format)
      const other = await rig.watch('live/a', format)
      const first = viewer.presentation
      expect(await rig.change(viewer.id, 'live/b')).to.eql({ status: 200, message: 'success' })
      await rig.until(async () => (await viewer.load()) && viewer.presentation !== first)
      const second = viewer.presentation
      await rig.until(async () => (await viewer.load()) && viewer.segments.every(({ uri = '' }) => !uri.includes(first)))
      await other.load()
      expect(other.presentation).to.equal(first)
      expect(other.segments.filter(({ discontinuity }) => discontinuity)).to.eql([])
      const own = await rig.watch('live/b', format)
      expect(own.presentation, 'shared with who watches that stream').to.equal(second)

      await rig.change(viewer.id, 'live/a')
      await rig.until(async () => (await viewer.load()) && viewer.presentation === first)
      expect(viewer.segments.filter(({ discontinuity }) => discontinuity)).to.have.length(1)
      expect(rig.fed()).to.eql(['live/a', 'live/b'])
    })
  }
})
