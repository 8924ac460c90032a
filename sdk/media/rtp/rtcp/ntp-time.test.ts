import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { ntpFraction, ntpSeconds, ntpToUnixMs, shortNtpDelay, shortNtpTime } from './ntp-time.ts'

/** Instants as RFC 5905 figure 4 and RFC 4330 3 date them; the last ones are sender reports with their arrival. */
const CASES: readonly [name: string, seconds: number, fraction: number, unixMs: number][] = [
  ['the first instant of 1970', 2_208_988_800, 0, 0],
  ['half a second later', 2_208_988_800, 2 ** 31, 500],
  ['the first instant that is told', 2 ** 31, 0, Date.UTC(1968, 0, 20, 3, 14, 8)],
  ['the first instant of 1972', 2_272_060_800, 0, Date.UTC(1972, 0)],
  ['the last second of the first era', 2 ** 32 - 1, 0, Date.UTC(2036, 1, 7, 6, 28, 15)],
  ['an instant of the second era', 0, 2 ** 30, Date.UTC(2036, 1, 7, 6, 28, 16, 250)],
  ['the last second that is told', 2 ** 31 - 1, 0, Date.UTC(2104, 1, 26, 9, 42, 23)],
]

const bits32 = fc.nat(0xffffffff)

describe('NTP time', () => {
  for (const [name, seconds, fraction, unixMs] of CASES) {
    it(`is ${name}`, () => {
      expect(ntpToUnixMs(seconds, fraction)).to.equal(unixMs)
      expect([ntpSeconds(unixMs), ntpFraction(unixMs)]).to.deep.equal([seconds, fraction])
    })
  }

  it('is what ffmpeg sent when it arrived', () => {
    expect(ntpToUnixMs(0xeeada0aa, 0x3645a1ca)).to.be.closeTo(1_795_367_466_213, 5)
  })

  it('is none where the sender has no clock', () => {
    expect(ntpToUnixMs(0, 0)).to.equal(undefined)
  })

  it('keeps the bits of the short form, and the others to a microsecond', () => {
    const onStep = bits32.map((fraction) => Math.floor(fraction / 2 ** 16) * 2 ** 16)
    const besideStep = onStep.map((fraction) => (fraction + 2 ** 32 - 1) % 2 ** 32)
    fc.assert(
      fc.property(bits32, fc.oneof(bits32, onStep, besideStep), (seconds, fraction) => {
        const ms = ntpToUnixMs(seconds, fraction)
        if (ms === undefined) return
        expect(shortNtpTime(ms)).to.equal((seconds % 2 ** 16) * 2 ** 16 + Math.floor(fraction / 2 ** 16))
        expect(ntpSeconds(ms)).to.equal(seconds)
        expect(ntpFraction(ms)).to.be.closeTo(fraction, 2 ** 32 / 1e6)
      }),
      { numRuns: rounds(5000) },
    )
  })

  it('is short as GStreamer told it back', () => {
    expect(shortNtpTime(ntpToUnixMs(0xeeada180, 0xbbfca85c)!)).to.equal(0xa180bbfc)
  })

  it('has delays that stay within their range', () => {
    const delays = [0, 500, 198.55, -1, 65_536_000, 1e12].map(shortNtpDelay)
    expect(delays).to.deep.equal([0, 32_768, 13_012, 0, 0xffffffff, 0xffffffff])
  })
})
