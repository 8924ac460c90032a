import { expect } from 'chai'
import * as fc from 'fast-check'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { TS_PACKET_SIZE_BYTES } from './packet.ts'
import { parseTsPacket, tsPacketCount, writePcrPacket, writeTsPackets } from './packet.ts'
import type { TsPacket, TsUnitPackets } from './packet.ts'

function packet(header: string): Buffer {
  return Buffer.concat([fromHex(header), Buffer.alloc(TS_PACKET_SIZE_BYTES)]).subarray(0, TS_PACKET_SIZE_BYTES)
}

const PLAIN: Omit<TsPacket, 'payload'> = {
  pid: 0x100,
  unitStart: false,
  continuityCounter: 0,
  transportError: false,
  scrambled: false,
  discontinuity: false,
  pcr: undefined,
  hasPayload: true,
}

const HEADERS: readonly [name: string, header: string, fields: Partial<TsPacket>, payloadSizeBytes: number][] = [
  ['a payload alone', '47 0100 1f', { continuityCounter: 15 }, 184],
  ['the start of a unit', '47 4000 11', { pid: 0, unitStart: true, continuityCounter: 1 }, 184],
  ['an adaptation field', '47 0100 30 07 50 80000000fe00', { pcr: 2 ** 32 + 1 }, 176],
  ['an empty adaptation field', '47 0100 30 00', {}, 183],
  ['a discontinuity', '47 0100 30 01 80', { discontinuity: true }, 182],
  ['no payload', '47 0100 20 b7 00', { hasPayload: false }, 0],
  ['an adaptation field that is too long', '47 0100 30 ff 00', {}, 0],
  ['errors and scrambling', '47 8100 90', { transportError: true, scrambled: true }, 184],
]

function write(unit: TsUnitPackets, pieces: readonly Buffer[]): Buffer {
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const out = Buffer.alloc(tsPacketCount(unit, sizeBytes) * TS_PACKET_SIZE_BYTES)
  expect(writeTsPackets(out, 0, unit, pieces, sizeBytes)).to.equal(out.length)
  return out
}

function packetsOf(bytes: Buffer): TsPacket[] {
  return Array.from({ length: bytes.length / TS_PACKET_SIZE_BYTES }, (_, index) =>
    parseTsPacket(bytes, index * TS_PACKET_SIZE_BYTES),
  )
}

describe('TS packets', () => {
  for (const [name, header, fields, payloadSizeBytes] of HEADERS) {
    it(`are parsed with ${name}`, () => {
      const { payload, ...rest } = parseTsPacket(packet(header), 0)
      expect(rest).to.deep.equal({ ...PLAIN, ...fields })
      expect(payload).to.have.length(payloadSizeBytes)
    })
  }

  it('carry pieces of any size, with counters that go on', () => {
    const sizes = fc.array(fc.oneof(fc.nat(8), fc.nat(600), fc.integer({ min: 170, max: 190 })), { maxLength: 6 })
    const heads = fc.record({
      randomAccess: fc.boolean(),
      pcr: fc.option(fc.nat(), { nil: undefined }),
      counter: fc.nat(15),
    })
    fc.assert(
      fc.property(sizes, heads, (lengths, { randomAccess, pcr, counter }) => {
        const pieces = lengths.map((length, index) => Buffer.alloc(length, index + 1))
        const packets = packetsOf(write({ pid: 0x1ff, continuityCounter: counter, randomAccess, pcr }, pieces))
        expect(Buffer.concat(packets.map(({ payload }) => payload))).to.deep.equal(Buffer.concat(pieces))
        expect(packets.map(({ unitStart }) => unitStart)).to.deep.equal(packets.map((_, index) => index === 0))
        expect(packets.map(({ continuityCounter }) => continuityCounter)).to.deep.equal(
          packets.map((_, index) => (counter + index) % 16),
        )
        expect(packets.every(({ pid, hasPayload }) => pid === 0x1ff && hasPayload)).to.equal(true)
      }),
    )
  })

  const STARTS: readonly [name: string, unit: Partial<TsUnitPackets>, sizeBytes: number, start: string][] = [
    ['nothing to say', {}, 184, '47 4100 17 aaaa'],
    ['one byte of stuffing', {}, 183, '47 4100 37 00 aaaa'],
    ['two bytes of stuffing', {}, 182, '47 4100 37 01 00 aaaa'],
    ['a place to start', { randomAccess: true }, 182, '47 4100 37 01 40 aaaa'],
    ['a clock', { pcr: 2 ** 33 + 1, randomAccess: true }, 176, '47 4100 37 07 50 00000000fe00 aaaa'],
    ['the last tick', { pcr: 2 ** 33 - 1 }, 176, '47 4100 37 07 10 fffffffffe00 aaaa'],
    ['a clock below zero', { pcr: -1 }, 176, '47 4100 37 07 10 fffffffffe00 aaaa'],
    ['a clock and stuffing', { pcr: 2 }, 174, '47 4100 37 09 10 000000017e00 ffff aaaa'],
  ]
  for (const [name, unit, sizeBytes, start] of STARTS) {
    it(`are written with ${name}`, () => {
      const bytes = write({ pid: 0x100, continuityCounter: 7, randomAccess: false, ...unit }, [
        Buffer.alloc(sizeBytes, 0xaa),
      ])
      expect(bytes.subarray(0, fromHex(start).length).toString('hex')).to.equal(start.replaceAll(' ', ''))
    })
  }

  it('carry a clock alone', () => {
    const bytes = Buffer.alloc(TS_PACKET_SIZE_BYTES)
    writePcrPacket(bytes, 0, { pid: 0x100, continuityCounter: 9, randomAccess: false, pcr: 3 })
    expect(bytes.subarray(0, 14)).to.deep.equal(fromHex('47 0100 29 b7 10 00000001fe00 ffff'))
    expect(parseTsPacket(bytes, 0)).to.include({ hasPayload: false, continuityCounter: 9 })
  })
})
