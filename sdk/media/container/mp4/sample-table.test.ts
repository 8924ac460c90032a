import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../../errors.ts'
import { ChunkTable } from './chunk-table.ts'
import { Mp4SampleCursor } from './sample-cursor.ts'
import { MAX_EMPTY_RUNS, SampleRuns } from './sample-runs.ts'
import { parseSampleSizes } from './sample-sizes.ts'
import { SampleTable } from './sample-table.ts'

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4)
  return bytes
}

function fullBox(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(body.length + 12), Buffer.from(type), u32(0), body])
}

function prepared<Table extends { prepare(): Generator<void> }>(table: Table): Table {
  for (const work = table.prepare(); work.next().done !== true;);
  return table
}

/** Numbers that look random and are always the same. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below
}

/** More runs than there are between two marks, twice. */
const RUNS = 2500
const places = (count: number) => [0, 1, 1023, 1024, 1025, 2047, 2048, 2049, count - 1, count >> 1]

describe('runs of samples', () => {
  for (const signed of [false, true]) {
    it(`are found as by going through all of them, ${signed ? 'signed' : 'unsigned'}`, () => {
      const random = randomFrom(7)
      const runs = Array.from({ length: RUNS }, () => [random(3), random(500) - (signed ? 250 : 0)] as const)
      const table = prepared(new SampleRuns(u32(...runs.flat()), signed))
      const values = runs.flatMap(([count, value]) => Array.from({ length: count }, () => value))
      expect(table.smallest).to.equal(signed ? -250 : 0)
      for (const index of places(values.length)) {
        const { reader, sum } = table.at(index)
        expect([reader.value, sum], `sample ${index}`).to.eql([
          values[index],
          values.slice(0, index).reduce((all, value) => all + value, 0),
        ])
        expect(reader.skip(5)).to.equal(values.slice(index, index + 5).reduce((all, value) => all + value, 0))
      }
      expect(table.at(values.length + 1).reader.value).to.equal(undefined)
    })
  }

  it('tell how many samples come up to a time', () => {
    const random = randomFrom(11)
    const runs = Array.from({ length: RUNS }, () => [1 + random(3), 1 + random(90)] as const)
    const table = prepared(new SampleRuns(u32(...runs.flat()), false))
    const ends: number[] = []
    for (const [count, value] of runs) for (let left = count; left > 0; left--) ends.push((ends.at(-1) ?? 0) + value)
    for (const index of places(ends.length)) {
      for (const time of [ends[index]! - 1, ends[index]!]) {
        expect(table.countUpTo(time), `time ${time}`).to.equal(ends.findLastIndex((end) => end <= time) + 1)
      }
    }
    expect(table.countUpTo(ends.at(-1)! + 1000)).to.equal(ends.length)
  })

  it('that have no samples are few', () => {
    const empty = (count: number) => u32(...Array.from({ length: count }, () => [0, 1]).flat(), 5, 3)
    expect(prepared(new SampleRuns(empty(MAX_EMPTY_RUNS), false)).at(4)).to.include({ sum: 12 })
    expect(() => prepared(new SampleRuns(empty(MAX_EMPTY_RUNS + 1), false))).to.throw(MalformedError)
    const chunkRuns = u32(...Array.from({ length: MAX_EMPTY_RUNS + 1 }, () => [1, 0, 1]).flat())
    expect(() => prepared(new ChunkTable(chunkRuns, u32(24), 4))).to.throw(MalformedError)
  })
})

describe('the table of chunks', () => {
  for (const offsetSizeBytes of [4, 8] as const) {
    it(`tells the run of each sample, with offsets of ${offsetSizeBytes} bytes`, () => {
      const random = randomFrom(13)
      const runs: { first: number; samples: number }[] = []
      for (let first = 1; runs.length < RUNS; first += 1 + random(3)) runs.push({ first, samples: 1 + random(4) })
      const chunkCount = runs.at(-1)!.first + 2
      const offsetOf = (chunk: number) => (offsetSizeBytes === 8 ? 2 ** 32 : 0) + chunk * 100
      const offsets = Array.from({ length: chunkCount }, (_, chunk) => offsetOf(chunk))
      const bytes = offsets.flatMap((offset) =>
        offsetSizeBytes === 8 ? [Math.floor(offset / 2 ** 32), offset] : [offset],
      )
      const stsc = u32(...runs.flatMap(({ first, samples }) => [first, samples, 1]))
      const table = prepared(new ChunkTable(stsc, u32(...bytes), offsetSizeBytes))
      const found: { number: number; before: number }[] = []
      for (const [number, { first, samples }] of runs.entries()) {
        const end = runs[number + 1]?.first ?? chunkCount + 1
        for (let before = 0; before < (end - first) * samples; before++) found.push({ number, before })
      }
      for (const index of places(found.length)) expect(table.runOf(index), `sample ${index}`).to.eql(found[index])
      expect(table.runOf(found.length)).to.equal(undefined)
      expect([table.offset(7), table.lastOffset]).to.eql([offsetOf(7), offsetOf(chunkCount - 1)])
    })
  }
})

describe('the sizes of samples', () => {
  const sizesOf = (type: string, bytes: Buffer) => parseSampleSizes({ type, body: Buffer.concat([u32(0), bytes]) })
  for (const [bits, table, sizes] of [
    [4, '1f20', [1, 15, 2]],
    [8, '01ff20', [1, 255, 32]],
    [16, '0001ffff0020', [1, 65_535, 32]],
  ] as const) {
    it(`are read in fields of ${bits} bits`, () => {
      const read = sizesOf('stz2', Buffer.concat([u32(bits, 3), Buffer.from(table, 'hex')]))
      expect([read.count, read.commonBytes]).to.eql([3, undefined])
      expect(sizes.map((_, index) => read.sum(index, index + 1))).to.eql([...sizes])
      expect(read.sum(0, 3)).to.equal(sizes[0] + sizes[1] + sizes[2])
    })
  }

  it('are those that a table has which ends early', () => {
    expect(sizesOf('stsz', u32(0, 9, 5, 6)).count).to.equal(2)
    expect(sizesOf('stz2', Buffer.concat([u32(4, 9), Buffer.from([0x11])])).count).to.equal(2)
  })
})

describe('the tables of a track', () => {
  const stbl = Buffer.concat([
    fullBox('stts', u32(2, 30, 40, 20, 50)),
    fullBox('ctts', u32(2, 25, -40, 25, 0)),
    fullBox('stss', u32(5, 1, 11, 21, 31, 41)),
    fullBox('stsc', u32(2, 1, 10, 1, 3, 5, 2)),
    fullBox('stsz', u32(0, 50, ...Array.from({ length: 50 }, (_, index) => index + 1))),
    fullBox('stco', u32(8, ...Array.from({ length: 8 }, (_, index) => 1000 * index))),
  ])

  it('tell where each sample is, and when', () => {
    const table = prepared(new SampleTable(stbl))
    expect(table.durationTicks).to.equal(30 * 40 + 20 * 50)
    let dts = 0
    let offset = 0
    for (const index of Array.from({ length: 50 }, (_, at) => at)) {
      const isFirst = index < 20
      const perChunk = isFirst ? 10 : 5
      const inChunk = isFirst ? index % 10 : (index - 20) % 5
      if (inChunk === 0) offset = 1000 * (isFirst ? index / 10 : 2 + (index - 20) / perChunk)
      const wanted = { offset, sizeBytes: index + 1, dts, cts: index < 25 ? -40 : 0, description: isFirst ? 0 : 1 }
      expect(new Mp4SampleCursor(table, index).sample, `sample ${index}`).to.eql(wanted)
      expect(table.indexAt(dts)).to.equal(index)
      expect(table.syncBefore(index)).to.equal(Math.floor(index / 10) * 10)
      offset += index + 1
      dts += index < 30 ? 40 : 50
    }
    expect(new Mp4SampleCursor(table, 50).sample).to.equal(undefined)
  })

  it('take any bytes without harm', () => {
    const changes = fc.array(fc.tuple(fc.nat(stbl.length - 1), fc.nat(255)), { maxLength: 6 })
    fc.assert(
      fc.property(changes, fc.nat(stbl.length), fc.nat(5000), (changed, end, at) => {
        const bytes = Buffer.from(stbl)
        for (const [position, value] of changed) bytes[position] = value
        try {
          const table = prepared(new SampleTable(bytes.subarray(0, end)))
          const cursor = new Mp4SampleCursor(table, Math.max(0, table.syncBefore(table.indexAt(at)) ?? 0))
          for (let left = 100; left > 0 && cursor.sample !== undefined; left--) cursor.advance()
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
    )
  })
})
