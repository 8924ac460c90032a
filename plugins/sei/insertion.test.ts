import { expect } from 'chai'
import { InvalidRequest } from 'sluice/sdk'
import { SEI_MAX_PAYLOAD_SIZE_BYTES } from 'sluice/sdk/media'
import { seiMessageOf, TEXT_UUID, type Insertion } from './insertion.ts'

const UUID = TEXT_UUID.toString('hex')
const hex = (text: string) => Buffer.from(text).toString('hex')
const base64 = (bytes: number | string) =>
  (typeof bytes === 'string' ? Buffer.from(bytes, 'hex') : Buffer.alloc(bytes, 1)).toString('base64')

const made: readonly (Insertion & { readonly payload: string })[] = [
  { type: 5, format: 'string', data: 'Größe', payload: UUID + hex('Größe') },
  { type: 5, format: 'string', data: '{no json', payload: UUID + hex('{no json') },
  { type: 5, format: 'json', data: '{ "a": [1] }', payload: UUID + hex('{ "a": [1] }') },
  { type: 5, format: 'base64', data: base64('00'.repeat(16)), payload: '00'.repeat(16) },
  { type: 5, format: 'base64', data: base64(`${'ab'.repeat(16)}0001`), payload: `${'ab'.repeat(16)}0001` },
  { type: 4, format: 'string', data: 'plain', payload: hex('plain') },
  { type: 137, format: 'base64', data: base64('0001ff'), payload: '0001ff' },
]

const refused: readonly (Insertion & { readonly says: string })[] = [
  { type: 5, format: 'json', data: '{', says: 'must be JSON' },
  { type: 5, format: 'json', data: '['.repeat(SEI_MAX_PAYLOAD_SIZE_BYTES - 16), says: 'must be JSON' },
  { type: 4, format: 'base64', data: 'no base64!', says: 'must be base64' },
  { type: 4, format: 'base64', data: 'AAE', says: 'with its padding' },
  { type: 5, format: 'base64', data: base64(15), says: 'a UUID of 16 bytes' },
  {
    type: 5,
    format: 'string',
    data: 'x'.repeat(SEI_MAX_PAYLOAD_SIZE_BYTES - 15),
    says: '65537 bytes; an SEI message takes up to 65536',
  },
  { type: 4, format: 'base64', data: base64(SEI_MAX_PAYLOAD_SIZE_BYTES + 1), says: 'up to 65536' },
]

describe('what is inserted', () => {
  for (const { payload, ...insertion } of made) {
    it(`is made of the ${insertion.format} ${insertion.data} as type ${insertion.type}`, () => {
      const message = seiMessageOf(insertion)
      expect([message.type, message.payload.toString('hex')]).to.eql([insertion.type, payload])
    })
  }

  it('is as long as a message can be', () => {
    const data = 'x'.repeat(SEI_MAX_PAYLOAD_SIZE_BYTES - TEXT_UUID.length)
    expect(seiMessageOf({ type: 5, format: 'string', data }).payload).to.have.length(SEI_MAX_PAYLOAD_SIZE_BYTES)
  })

  for (const { says, ...insertion } of refused) {
    it(`is no ${insertion.format} ${insertion.data.slice(0, 12)} of ${insertion.data.length} characters`, () => {
      expect(() => seiMessageOf(insertion)).to.throw(InvalidRequest, says)
    })
  }
})
