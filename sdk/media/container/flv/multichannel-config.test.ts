import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from '../../errors.ts'
import { fromHex, mutations, parsesOrRefuses } from './fixtures/bytes.ts'
import { parseMultichannelConfig } from './multichannel-config.ts'
import type { FlvMultichannelConfig } from './multichannel-config.ts'

const CASES: readonly { name: string; hex: string; config: FlvMultichannelConfig }[] = [
  { name: 'a bare count', hex: '00 06', config: { order: 'unspecified', channels: 6 } },
  { name: 'a mask', hex: '01 06 0000003f', config: { order: 'native', channels: 6, mask: 0x3f } },
  { name: 'a map', hex: '02 03 02 00 fe', config: { order: 'custom', channels: 3, mapping: [2, 0, 254] } },
]

describe('FLV channel configuration', () => {
  for (const { name, hex, config } of CASES) {
    it(`reads ${name}`, () => expect(parseMultichannelConfig(fromHex(hex))).to.deep.equal(config))
  }

  for (const hex of ['', '00', '01 02 0000', '02 03 0102', '03 02']) {
    it(`refuses "${hex}"`, () => expect(() => parseMultichannelConfig(fromHex(hex))).to.throw(MalformedError))
  }

  it('parses any bytes or refuses them', () => {
    const seeds = CASES.map(({ hex }) => fromHex(hex))
    fc.assert(fc.property(mutations(seeds), (data) => parsesOrRefuses(() => parseMultichannelConfig(data))))
  })
})
