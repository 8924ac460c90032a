import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from '../../errors.ts'
import { PES_CLOCK_RANGE } from '../pes/clock.ts'
import { mpegCrc32 } from '../pes/crc32.ts'
import { spliceInsert, spliceTicksOf } from './fixtures/splice-info.ts'
import { moveSpliceTimes } from './splice-info-section.ts'

describe('moveSpliceTimes', () => {
  const ticks = fc.nat(PES_CLOCK_RANGE - 1)

  it('moves times by any ticks, and back', () => {
    fc.assert(
      fc.property(ticks, ticks, fc.integer({ min: -PES_CLOCK_RANGE, max: PES_CLOCK_RANGE }), (time, adjustment, by) => {
        const section = spliceInsert(time, adjustment)
        const before = Buffer.from(section)
        const moved = moveSpliceTimes(section, by)
        expect(section).to.deep.equal(before)
        expect(mpegCrc32(moved)).to.equal(0)
        expect(spliceTicksOf(moved)).to.equal((time + adjustment + by + PES_CLOCK_RANGE) % PES_CLOCK_RANGE)
        expect(moveSpliceTimes(moved, -by)).to.deep.equal(section)
      }),
    )
  })

  it('keeps what says that the section is encrypted, and how', () => {
    const section = spliceInsert(0)
    section[4] = 0x86
    section.writeUInt32BE(mpegCrc32(section.subarray(0, -4)), section.length - 4)
    expect(moveSpliceTimes(section, -1)[4]).to.equal(0x87)
  })

  it('refuses what is no whole section', () => {
    const section = spliceInsert(90_000)
    const broken = Buffer.from(section)
    broken[22]! ^= 1
    const other = Buffer.from(section)
    other[0] = 0xfb
    for (const bytes of [broken, other, section.subarray(0, -1), section.subarray(0, 10), Buffer.alloc(0)]) {
      expect(() => moveSpliceTimes(bytes, 1)).to.throw(MalformedError)
    }
  })
})
