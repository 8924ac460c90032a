import { expect } from 'chai'
import { parseMp4Movie } from 'sluice/sdk/media'
import { SampleLane } from '../sample-lane.ts'
import { box, fullBox, trackBox, u32, videoEntry } from './mp4-boxes.ts'

/** A lane of pictures of 40 ms, with so many samples for each offset between decoding and presentation. */
function lane(offsets: readonly (readonly [count: number, cts: number])[], syncs?: readonly number[]): SampleLane {
  const count = offsets.reduce((sum, [more]) => sum + more, 0)
  const tables = [
    fullBox('stts', u32(1, count, 40)),
    fullBox('ctts', u32(offsets.length, ...offsets.flatMap(([more, cts]) => [more, cts >>> 0]))),
    fullBox('stsc', u32(1, 1, count, 1)),
    fullBox('stsz', u32(10, count)),
    fullBox('stco', u32(1, 0)),
    ...(syncs === undefined ? [] : [fullBox('stss', u32(syncs.length, ...syncs.map((index) => index + 1)))]),
  ]
  const trak = trackBox({ id: 1, handler: 'vide', timescale: 1000, entry: videoEntry(), tables })
  const movie = parseMp4Movie(Buffer.concat([fullBox('mvhd', u32(0, 0, 1000, 0), Buffer.alloc(80)), trak, box('free')]))
  const [file] = movie.tracks
  if (file === undefined) throw new Error('the movie has no track')
  for (const work = file.table.prepare(); work.next().done !== true;);
  return new SampleLane(file)
}

describe('SampleLane', () => {
  for (const [what, syncs] of [
    ['keyframes alone', undefined],
    ['a keyframe now and then', [0, 7, 20, 21, 50]],
  ] as const) {
    it(`finds the keyframe at a time where pictures are presented before they are decoded, of ${what}`, () => {
      const cts = Array.from({ length: 60 }, (_, index) => [0, -80, -40, -120][index % 4]!)
      const pictures = lane(
        cts.map((offset) => [1, offset] as const),
        syncs,
      )
      const keyframes = syncs ?? cts.map((_, index) => index)
      for (let ms = 0; ms < 2500; ms += 13) {
        const last = keyframes.findLast((index) => index * 40 + cts[index]! <= ms)
        expect(pictures.keyframeAt(ms), `${ms} ms`).to.equal(last ?? 0)
      }
    })
  }

  it('gives up soon where no keyframe can be presented early enough', () => {
    const pictures = lane([
      [1, -(2 ** 31)],
      [5_000_000, 0],
    ])
    expect(pictures.keyframeAt(100)).to.be.greaterThan(4_900_000)
  })
})
