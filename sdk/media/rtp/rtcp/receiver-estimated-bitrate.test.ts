import { expect } from 'chai'
import fc from 'fast-check'
import { fuzz } from '../../codec/test/fuzz.ts'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../../errors.ts'
import { parseRtcp, serializeRtcp } from './compound.ts'
import type { PayloadFeedback } from './payload-feedback.ts'
import { parseRemb, REMB_MAX_SSRCS, rembFeedback } from './receiver-estimated-bitrate.ts'

const FEEDBACK = { kind: 'payloadFeedback', format: 15, senderSsrc: 1, mediaSsrc: 0 } as const

const feedbackOf = (hex: string): PayloadFeedback => ({ ...FEEDBACK, data: fromHex(hex) })

const CASES: readonly [name: string, hex: string, bitrateBps: number, ssrcs: readonly number[]][] = [
  ['of one source', '52454d42 0103f7a1 00000002', 0x3f7a1, [2]],
  ['of two sources', '52454d42 020af7a1 00000002 ffffffff', 0x2f7a1 * 4, [2, 0xffffffff]],
  ['of none', '52454d42 00000000', 0, []],
  ['of the largest mantissa', '52454d42 0003ffff', 0x3ffff, []],
  ['of the least that needs an exponent', '52454d42 00060000', 0x40000, []],
  ['of the largest bitrate', '52454d42 00ffffff', 0x3ffff * 2 ** 63, []],
]

describe('REMB', () => {
  for (const [name, hex, bitrateBps, ssrcs] of CASES) {
    it(`is an estimate ${name}, parsed and made`, () => {
      expect(parseRemb(feedbackOf(hex))).to.eql({ bitrateBps, ssrcs })
      expect(rembFeedback(1, { bitrateBps, ssrcs }).data.toString('hex')).to.equal(hex.replaceAll(' ', ''))
    })
  }

  it('is nothing that is said by other feedback', () => {
    expect(parseRemb(feedbackOf('52454d43 00000000'))).to.equal(undefined)
    expect(parseRemb({ ...feedbackOf('52454d42 00000000'), format: 14 })).to.equal(undefined)
    expect(parseRemb(feedbackOf(''))).to.equal(undefined)
  })

  it('is refused when it ends early', () => {
    for (const hex of ['52454d42', '52454d42 01000000', '52454d42 02000000 00000001']) {
      expect(() => parseRemb(feedbackOf(hex))).to.throw(MalformedError)
    }
  })

  it('is not made of what it can not say', () => {
    const ssrcs = Array.from({ length: REMB_MAX_SSRCS + 1 }, (_, index) => index)
    for (const bitrateBps of [-1, Number.NaN, Infinity, 2 ** 81]) {
      expect(() => rembFeedback(1, { bitrateBps, ssrcs: [] })).to.throw(MalformedError)
    }
    expect(() => rembFeedback(1, { bitrateBps: 1, ssrcs })).to.throw(MalformedError)
  })

  it('says any bitrate to within its 18 bits, and never more', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), fc.nat(30), (mantissa, shift) => {
        const bitrateBps = mantissa * 2 ** shift
        const [feedback] = parseRtcp(serializeRtcp([rembFeedback(7, { bitrateBps, ssrcs: [9] })]))
        const estimate = parseRemb(feedback as PayloadFeedback)
        expect(estimate?.ssrcs).to.eql([9])
        expect(estimate?.bitrateBps).to.be.within(bitrateBps * (1 - 2 ** -17), bitrateBps)
      }),
    )
  })

  it('is parsed from any bytes, or refused', () => {
    fuzz(
      CASES.map(([, hex]) => fromHex(hex)),
      (data) => {
        expect(parseRemb({ ...FEEDBACK, data })?.ssrcs.length ?? 0).to.be.at.most(data.length / 4)
      },
    )
  })
})
