import { expect } from 'chai'
import { AccessUnit } from '../access-unit.ts'
import { trackOf } from './fixtures/packets.ts'
import { WallClock } from './wall-clock.ts'

const TRACK = trackOf('vp8')
const NOW_MS = Date.UTC(2026, 0, 1)

function unitAt(timeMs: number, ntpMs?: number): AccessUnit {
  return AccessUnit.fromData(TRACK, timeMs * 90, timeMs * 90, true, Buffer.of(1), ntpMs)
}

describe('WallClock', () => {
  it("goes by the source's clock where that is known, and else by the time at which units come", () => {
    const ofSource = new WallClock()
    ofSource.follow(unitAt(40, NOW_MS - 3_600_000), 40, NOW_MS)
    expect(ofSource.at(140)).to.equal(NOW_MS - 3_600_000 + 100)
    const ours = new WallClock()
    ours.follow(unitAt(40), 40, NOW_MS)
    expect(ours.at(140)).to.equal(NOW_MS + 100)
  })

  it('follows small errors slowly, and jumps only with the clock of a source', () => {
    for (const ofSource of [true, false]) {
      const clock = new WallClock()
      const follow = (timeMs: number, wallMs: number) =>
        clock.follow(unitAt(timeMs, ofSource ? wallMs : undefined), timeMs, wallMs)
      follow(0, NOW_MS)
      follow(1000, NOW_MS + 1300)
      expect(clock.at(1000) - NOW_MS).to.be.within(1000.01, 1000.1)
      follow(2000, NOW_MS + 9000)
      if (ofSource) expect(clock.at(2000)).to.equal(NOW_MS + 9000)
      else expect(clock.at(2000) - NOW_MS).to.be.within(2000.01, 2000.2)
    }
  })

  it('never jumps in a fork', () => {
    const clock = new WallClock()
    clock.follow(unitAt(0, NOW_MS), 0, NOW_MS)
    const fork = clock.fork()
    fork.follow(unitAt(1000, NOW_MS + 9000), 1000, NOW_MS + 9000)
    expect(fork.at(1000) - NOW_MS).to.be.within(1000.01, 1000.1)
  })
})
