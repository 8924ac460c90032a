import { expect } from 'chai'
import { PsDemuxer } from 'sluice/sdk/media'
import { makeTestClip, type MadeClip } from '../fixtures/made-clip.ts'
import { Quirks, type Quirk } from '../quirks.ts'
import { ClipSink } from './clip.ts'
import { ProgramStream } from './program-stream.ts'

const PICTURES = 10
const MAP = Buffer.of(0, 0, 1, 0xbc)

/** The packs of a clip with quirks, and the units that a platform reads of them. */
function streamOf(quirks: readonly Quirk[], init: MadeClip = {}) {
  const clip = makeTestClip({ pictures: PICTURES, ...init })
  const stream = new ProgramStream(clip.tracks, new Quirks(quirks))
  const packs = clip.units.map(({ unit }) => stream.pack(unit))
  const sink = new ClipSink()
  const demuxer = new PsDemuxer(sink)
  for (const pack of packs) demuxer.push(pack)
  demuxer.flush()
  const ofKind = (kind: string) => sink.units.filter(({ track }) => track.kind === kind)
  const expected = clip.units.filter(({ track }) => track.kind === 'video').map(({ unit }) => unit)
  return {
    clip,
    packs,
    demuxer,
    bytes: Buffer.concat(packs),
    pictures: ofKind('video'),
    sound: ofKind('audio'),
    expected,
  }
}

/** The packets of a pack: their ids, and what they state as length. */
function packetsOf(pack: Buffer): (readonly [id: number, length: number])[] {
  const packets: (readonly [number, number])[] = []
  for (let at = 14 + (pack[13]! & 7); at < pack.length; at += 6 + pack.readUInt16BE(at + 4)) {
    packets.push([pack[at + 3]!, pack.readUInt16BE(at + 4)])
  }
  return packets
}

/** The times of the packets of sound in a pack (ISO/IEC 13818-1 2.4.3.7). */
function soundTimesOf(pack: Buffer): number[] {
  const times: number[] = []
  for (let at = 14 + (pack[13]! & 7); at < pack.length; at += 6 + pack.readUInt16BE(at + 4)) {
    if (pack[at + 3] !== 0xc0) continue
    const high = (pack[at + 9]! >> 1) & 7
    times.push(high * 2 ** 30 + (pack.readUInt16BE(at + 10) >> 1) * 2 ** 15 + (pack.readUInt16BE(at + 12) >> 1))
  }
  return times
}

const count = (bytes: Buffer, part: Buffer) => bytes.toString('latin1').split(part.toString('latin1')).length - 1

describe('the program stream of a device', () => {
  const whole: readonly (readonly Quirk[])[] = [
    [],
    ['psm-once'],
    ['lying-psm'],
    ['private-pes'],
    ['stuffing'],
    ['long-pes'],
    ['slices'],
    ['private-pes', 'stuffing', 'long-pes', 'psm-once'],
  ]
  for (const quirks of whole) {
    it(`can be read with ${quirks.length === 0 ? 'no quirks' : quirks.join(', ')}`, () => {
      const { pictures, sound, expected, demuxer } = streamOf(quirks, { keySizeBytes: 150_000, slices: 3 })
      expect(pictures).to.have.length(PICTURES)
      for (const [index, picture] of pictures.entries()) {
        // What the muxer adds: a delimiter, and parameter sets before keyframes.
        const own = expected[index]!
        const { annexB } = picture
        expect(annexB.subarray(-own.annexB.length).equals(own.annexB), `picture ${index}`).to.equal(true)
        expect(picture.pts).to.equal(own.pts)
      }
      expect(sound.map(({ data }) => data.length)).to.eql(Array.from({ length: PICTURES }, () => 320))
      expect([demuxer.losses, demuxer.skippedBytes]).to.eql([0, 0])
    })
  }

  const maps = [
    { quirks: [], found: 2 },
    { quirks: ['psm-once'], found: 1 },
    { quirks: ['no-psm'], found: 0 },
  ] as const
  for (const { quirks, found } of maps) {
    it(`has ${found} maps in 10 pictures${quirks.map((quirk) => ` with ${quirk}`).join('')}`, () => {
      expect(count(streamOf(quirks).bytes, MAP)).to.equal(found)
    })
  }

  it('declares H.265 for H.264 when it lies', () => {
    const typeIn = (quirks: readonly Quirk[]) => {
      const [pack] = streamOf(quirks).packs
      return pack![pack!.indexOf(MAP) + 12]
    }
    expect([typeIn([]), typeIn(['lying-psm'])]).to.eql([0x1b, 0x24])
  })

  it('fills packets up to 65,535 bytes', () => {
    const [plain, long] = [streamOf([], { keySizeBytes: 200_000 }), streamOf(['long-pes'], { keySizeBytes: 200_000 })]
    const lengths = (pack: Buffer) => packetsOf(pack).flatMap(([id, length]) => (id === 0xe0 ? [length] : []))
    expect(lengths(long.packs[0]!).slice(0, 3)).to.eql([65_535, 65_535, 65_535])
    expect(lengths(plain.packs[0]!)).not.to.include(65_535)
  })

  it('has a packet for each NAL unit', () => {
    const { packs } = streamOf(['slices'], { slices: 3, hasSound: false })
    expect(packetsOf(packs[1]!).map(([id]) => id)).to.eql([0xe0, 0xe0, 0xe0])
  })

  it('has private data, stuffing and padding', () => {
    expect(packetsOf(streamOf(['private-pes']).packs[1]!).map(([id]) => id)).to.include(0xbd)
    const [, pack] = streamOf(['stuffing']).packs
    expect(pack![13]! & 7).to.equal(5)
    expect(packetsOf(pack!).map(([id]) => id)).to.include(0xbe)
  })

  it('lets the times of sound jump', () => {
    const { packs } = streamOf(['jumping-audio-times'], { pictures: 100 })
    // A reader may set them right, so they are taken from the bytes.
    const times = packs.flatMap(soundTimesOf)
    const steps = times.slice(1).map((pts, index) => pts - times[index]!)
    expect(Math.max(...steps)).to.be.greaterThan(100_000)
    expect(Math.min(...steps)).to.be.lessThan(0)
  })
})
