import { expect } from 'chai'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { boxSizeBytes, fullBox, serializeBoxes, uint16, uint32, uint64, uint8 } from './box.ts'
import type { Box } from './box.ts'
import { serializeEventMessage } from './event-message.ts'

const CASES: readonly [name: string, box: Box, bytes: string][] = [
  ['an empty box', { type: 'free' }, '00000008 66726565'],
  ['fields', { type: 'abcd', contents: [uint8(1, 2), uint16(3), uint32(4)] }, '00000010 61626364 0102 0003 00000004'],
  [
    'version and flags',
    fullBox('abcd', 1, 0x20000, [uint64(2 ** 33 + 1)]),
    '00000014 61626364 01020000 0000000200000001',
  ],
  [
    'boxes within boxes, after its fields',
    {
      type: 'aaaa',
      contents: [uint8(7)],
      children: [{ type: 'bbbb', children: [{ type: 'cccc' }] }, { type: 'dddd' }],
    },
    '00000021 61616161 07 00000010 62626262 00000008 63636363 00000008 64646464',
  ],
]

describe('fMP4 boxes', () => {
  for (const [name, box, hex] of CASES) {
    it(`are written with ${name}`, () => {
      const bytes = fromHex(hex)
      expect(serializeBoxes([box, box])).to.deep.equal(Buffer.concat([bytes, bytes]))
      expect(boxSizeBytes(box)).to.equal(bytes.length)
    })
  }

  it('are written of an event', () => {
    const event = {
      schemeIdUri: 'urn:x',
      value: 'v',
      timescale: 1000,
      presentationTime: 2 ** 32 + 2,
      eventDuration: 0xffff_ffff,
      id: 7,
      messageData: Buffer.from('data'),
    }
    const fields = '000003e8 0000000100000002 ffffffff 00000007 75726e3a7800 7600 64617461'
    expect(serializeEventMessage(event)).to.deep.equal(fromHex(`0000002c 656d7367 01000000 ${fields}`))
  })
})
