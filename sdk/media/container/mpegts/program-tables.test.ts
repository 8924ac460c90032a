import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../../codec/test/fuzz.ts'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { parsePat, parsePmt, serializePat, serializePmt } from './program-tables.ts'
import { parseTsSection, serializeTsSection, TsSectionReader } from './section.ts'

/** As ffmpeg writes them. */
const PAT = fromHex('00 b00d 0001 c1 00 00 0001 f000 2ab104b2')
const PMT = fromHex('02 b01d 0001 c1 00 00 e100 f000 1b e100 f000 81 e101 f006 05 04 41432d33 ce50fcbc')
const HEAD = { tableIdExtension: 1, version: 0, current: true }
const PROGRAMS = [{ programNumber: 1, pid: 0x1000 }]
const MAP = {
  pcrPid: 0x100,
  descriptors: [],
  streams: [
    { streamType: 0x1b, pid: 0x100, descriptors: [] },
    { streamType: 0x81, pid: 0x101, descriptors: [{ tag: 5, data: Buffer.from('AC-3') }] },
  ],
}
const OTHER = { tableId: 2, tableIdExtension: 0xabcd, version: 31, current: false, body: Buffer.alloc(1012, 7) }

describe('program tables', () => {
  it('parse a captured PAT and write the same', () => {
    const section = parseTsSection(PAT)
    expect(section).to.deep.include({ ...HEAD, tableId: 0 })
    expect(parsePat(section)).to.deep.equal(PROGRAMS)
    expect(serializeTsSection({ ...section, body: serializePat(PROGRAMS) })).to.deep.equal(PAT)
  })

  it('parse a captured PMT and write the same', () => {
    const section = parseTsSection(PMT)
    expect(section).to.deep.include({ ...HEAD, tableId: 2 })
    expect(parsePmt(section)).to.deep.equal(MAP)
    expect(serializeTsSection({ ...section, body: serializePmt(MAP) })).to.deep.equal(PMT)
  })

  it('are bounded', () => {
    expect(parseTsSection(serializeTsSection(OTHER))).to.deep.equal(OTHER)
    expect(() => serializeTsSection({ ...OTHER, body: Buffer.alloc(1013) })).to.throw(RangeError)
  })

  it('are refused with a wrong checksum or size', () => {
    const wrong = Buffer.from(PMT)
    wrong[10]! ^= 1
    for (const bytes of [wrong, PMT.subarray(0, -1), Buffer.concat([PMT, Buffer.of(0)]), Buffer.alloc(0)]) {
      expect(() => parseTsSection(bytes)).to.throw(MalformedError)
    }
  })

  it('parse any bytes or refuse them', () => {
    const bodies = [parseTsSection(PAT).body, parseTsSection(PMT).body]
    fuzz(bodies, (body) => void parsePat({ ...OTHER, body }))
    fuzz(bodies, (body) => void parsePmt({ ...OTHER, body }))
    fuzz([PAT, PMT], (bytes) => void parseTsSection(bytes))
  })
})

describe('TsSectionReader', () => {
  const long = serializeTsSection(OTHER)

  it('puts sections together however they are cut', () => {
    const whole = Buffer.concat([Buffer.of(0), PAT, PMT, long, Buffer.alloc(5, 0xff)])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (size) => {
        const reader = new TsSectionReader()
        const sections: Buffer[] = []
        for (let offset = 0; offset < whole.length; offset += size) {
          sections.push(...reader.push(whole.subarray(offset, offset + size), offset === 0))
        }
        expect(sections).to.deep.equal([PAT, PMT, long])
      }),
    )
  })

  it('ends a section before the pointer', () => {
    const reader = new TsSectionReader()
    expect(reader.push(Buffer.concat([Buffer.of(0), PAT.subarray(0, 9)]), true)).to.deep.equal([])
    const next = Buffer.concat([Buffer.of(PAT.length - 9), PAT.subarray(9), PMT])
    expect(reader.push(next, true)).to.deep.equal([PAT, PMT])
  })

  it('drops what has no start or was cut', () => {
    const reader = new TsSectionReader()
    expect(reader.push(PAT, false)).to.deep.equal([])
    reader.push(Buffer.concat([Buffer.of(0), PAT.subarray(0, 9)]), true)
    reader.reset()
    expect(reader.push(PAT.subarray(9), false)).to.deep.equal([])
    expect(reader.push(Buffer.concat([Buffer.of(0), PAT]), true)).to.deep.equal([PAT])
  })

  it('takes any payloads', () => {
    fuzz([Buffer.concat([Buffer.of(0), PAT]), PMT], (bytes) => {
      const reader = new TsSectionReader()
      reader.push(bytes, true)
      reader.push(bytes, false)
      reader.push(bytes, true)
    })
  })
})
