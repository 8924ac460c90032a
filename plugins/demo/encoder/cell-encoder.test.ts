import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { joinAnnexB, parseH264Sps } from 'sluice/sdk/media'
import { runPeer } from '../../../test/peers/process.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { CellPicture, type Plane } from './cell-picture.ts'
import { CellEncoder } from './cell-encoder.ts'
import { serializePps, serializeSps } from './parameter-sets.ts'

const FORMAT = { width: 64, height: 40, fps: 25 }
const MACROBLOCKS = [4, 3] as const

/** Deterministic noise: the same picture for the same seed. */
function randomSource(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Changes a share of the cells by up to `contrast`. */
function disturb(plane: Plane, random: () => number, share: number, contrast: number): void {
  for (const [index, value] of plane.values.entries()) {
    if (random() >= share) continue
    plane.values[index] = Math.min(255, Math.max(0, value + Math.round((random() - 0.5) * 2 * contrast)))
  }
}

/** The samples of a cropped 4:2:0 frame as ffmpeg writes it. */
function samplesOf({ luma, cb, cr }: CellPicture): Buffer {
  const planes = [
    [luma, FORMAT.width, FORMAT.height],
    [cb, FORMAT.width / 2, FORMAT.height / 2],
    [cr, FORMAT.width / 2, FORMAT.height / 2],
  ] as const
  return Buffer.concat(
    planes.map(([plane, width, height]) =>
      Buffer.from(
        Array.from({ length: width * height }, (_, index) =>
          plane.at(Math.floor((index % width) / 4), Math.floor(index / width / 4)),
        ),
      ),
    ),
  )
}

describe('CellEncoder', () => {
  it('describes its pictures', () => {
    const sps = parseH264Sps(serializeSps({ width: 640, height: 360, fps: 25 }))
    expect(sps).to.include({ width: 640, height: 360, profileIdc: 66, levelIdc: 30 })
  })

  it('codes nothing for a picture that is as before', () => {
    const encoder = new CellEncoder(...MACROBLOCKS)
    const picture = new CellPicture(...MACROBLOCKS)
    encoder.encode(picture, true)
    expect(encoder.encode(picture, false).length).to.be.lessThan(6)
  })

  it('comes close to what it is given', () => {
    const random = randomSource(7)
    const picture = new CellPicture(...MACROBLOCKS)
    const { luma, cb, cr } = picture
    for (const plane of [luma, cb, cr]) disturb(plane, random, 1, 255)
    const encoder = new CellEncoder(...MACROBLOCKS)
    encoder.encode(picture, true)
    const pairs = [
      [luma, encoder.decoded.luma],
      [cb, encoder.decoded.cb],
      [cr, encoder.decoded.cr],
    ] as const
    for (const [wanted, got] of pairs) {
      const errors = wanted.values.map((value, index) => Math.abs(value - (got.values[index] ?? 0)))
      expect(Math.max(...errors)).to.be.at.most(3)
    }
  })

  describe('decoded by ffmpeg', () => {
    let folder: string
    before(async function () {
      requirePeer(this, 'ffmpeg')
      folder = await mkdtemp(join(tmpdir(), 'sluice-'))
    })
    after(async () => {
      if (folder) await rm(folder, { recursive: true })
    })

    // From flat to noise, so that every number of coefficients, run of zeros and size of level occurs.
    const cases = [
      { name: 'flat pictures with single cells that differ', share: 0.02, contrast: 255 },
      { name: 'faint noise', share: 0.4, contrast: 3 },
      { name: 'some of everything', share: 0.3, contrast: 60 },
      { name: 'full noise', share: 1, contrast: 255 },
    ]
    for (const { name, share, contrast } of cases) {
      it(`is what the encoder took it for: ${name}`, async () => {
        const random = randomSource(share * 1000 + contrast)
        const encoder = new CellEncoder(...MACROBLOCKS)
        const picture = new CellPicture(...MACROBLOCKS)
        const nalus = [serializeSps(FORMAT), serializePps()]
        const expected: Buffer[] = []
        for (let frame = 0; frame < 60; frame++) {
          for (const plane of [picture.luma, picture.cb, picture.cr]) disturb(plane, random, share, contrast)
          nalus.push(encoder.encode(picture, frame % 25 === 0))
          expected.push(samplesOf(encoder.decoded))
        }
        const file = join(folder, `${share}.h264`)
        await writeFile(file, joinAnnexB(nalus))
        const format = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p']
        const decoded = await runPeer('ffmpeg', ['-v', 'error', '-xerror', '-i', file, ...format, '-'])
        expect(decoded.length).to.equal(60 * FORMAT.width * FORMAT.height * 1.5)
        expect(decoded.equals(Buffer.concat(expected))).to.equal(true)
      })
    }
  })
})
