import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { bodyAt, boxSizeBytes, fullBox, parseBoxes, parseFullBox, serializeBoxes, type Box } from './box.ts'
import { uint16, uint32, uint64, uint8 } from './boxes/fields.ts'

const CASES: readonly { name: string; box: Box; hex: string; type: string; body: string }[] = [
  { name: 'nothing', box: { type: 'free' }, hex: '00000008 66726565', type: 'free', body: '' },
  {
    name: 'fields',
    box: { type: 'abcd', contents: [uint8(1, 2), uint16(3), uint32(4)] },
    hex: '00000010 61626364 0102 0003 00000004',
    type: 'abcd',
    body: '0102000300000004',
  },
  {
    name: 'version and flags',
    box: fullBox('abcd', 1, 0x20000, [uint64(2 ** 33 + 1)]),
    hex: '00000014 61626364 01020000 0000000200000001',
    type: 'abcd',
    body: '010200000000000200000001',
  },
  {
    name: 'boxes after its fields',
    box: {
      type: 'aaaa',
      contents: [uint8(7)],
      children: [{ type: 'bbbb', children: [{ type: 'cccc' }] }, { type: 'dddd' }],
    },
    hex: '00000021 61616161 07 00000010 62626262 00000008 63636363 00000008 64646464',
    type: 'aaaa',
    body: '0700000010626262620000000863636363 0000000864646464',
  },
]

describe('fMP4 boxes', () => {
  for (const { name, box, hex, type, body } of CASES) {
    it(`are written and read with ${name}`, () => {
      const bytes = fromHex(`${hex}${hex}`)
      expect(serializeBoxes([box, box])).to.deep.equal(bytes)
      expect(boxSizeBytes(box)).to.equal(bytes.length / 2)
      expect(parseBoxes(bytes)).to.deep.equal([1, 2].map(() => ({ type, body: fromHex(body) })))
    })
  }

  it('are found deep within others', () => {
    const bytes = serializeBoxes([
      { type: 'aaaa', children: [{ type: 'bbbb' }, { type: 'cccc', contents: [uint8(7)] }] },
    ])
    expect(bodyAt(bytes, 'aaaa', 'cccc')).to.deep.equal(Buffer.of(7))
    expect(bodyAt(bytes, 'aaaa', 'dddd', 'cccc')).to.equal(undefined)
  })

  it('are read with sizes of 64 bits, and to the end', () => {
    const large = fromHex('00000001 61616161 0000000000000012 0102')
    const open = fromHex('00000000 62626262 0304')
    expect(parseBoxes(Buffer.concat([large, open]))).to.deep.equal([
      { type: 'aaaa', body: fromHex('0102') },
      { type: 'bbbb', body: fromHex('0304') },
    ])
  })

  it('tell their version and flags', () => {
    const { version, flags, fields } = parseFullBox(fromHex('ff02000107'))
    expect({ version, flags, rest: fields.readUint(1) }).to.deep.equal({ version: 255, flags: 0x02_0001, rest: 7 })
  })

  it('are refused where their sizes are wrong', () => {
    for (const hex of ['00000007 61616161', '00000009 61616161', '00000001 61616161 000000000000000f']) {
      expect(() => parseBoxes(fromHex(hex)), hex).to.throw(MalformedError, "box 'aaaa'")
    }
    expect(() => parseBoxes(Buffer.alloc(8 * 1001, fromHex('00000008 61616161')))).to.throw(MalformedError)
    expect(() => parseFullBox(fromHex('010000'))).to.throw(MalformedError)
  })
})
