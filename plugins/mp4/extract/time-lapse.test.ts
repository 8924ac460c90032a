import { expect } from 'chai'
import { AccessUnit, type Recording, type Track } from 'sluice/sdk'
import { SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { MAX_GOP_BYTES, NotExtractable } from './one-gop.ts'
import { timeLapseAsMp4 } from './time-lapse.ts'

const VIDEO: Track = { ...SCRIPTED_VIDEO, id: 0 }
const PICTURE = Buffer.alloc(1024 * 1024)

/** Pictures of a mebibyte, with a keyframe each so many. */
function recordingOf(pictures: number, gopPictures: number): Recording {
  let index = 0
  return {
    tracks: [VIDEO],
    durationMs: pictures * 40,
    seek: () => {},
    next() {
      const ticks = (index * VIDEO.timescale) / 25
      const isKeyframe = index % gopPictures === 0
      index += 1
      return index > pictures ? undefined : AccessUnit.fromData(VIDEO, ticks, ticks, isKeyframe, PICTURE)
    },
  }
}

describe('a time-lapse', () => {
  const MAX_PICTURES = MAX_GOP_BYTES / PICTURE.length
  const sizeOf = async (pieces: AsyncGenerator<Buffer>) => {
    let sizeBytes = 0
    for await (const piece of pieces) sizeBytes += piece.length
    return sizeBytes
  }

  it('ends where a group of pictures is larger than may be held', async () => {
    const lapse = { partMs: 3_600_000, interval: 1 }
    const endless = sizeOf(timeLapseAsMp4(recordingOf(MAX_PICTURES * 10, Infinity), lapse))
    expect(await rejectionOf(endless)).to.be.instanceOf(NotExtractable)
    const pictures = MAX_PICTURES * 2
    const whole = await sizeOf(timeLapseAsMp4(recordingOf(pictures, MAX_PICTURES / 2), lapse))
    expect(whole).to.be.above(pictures * PICTURE.length)
  })
})
