import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { joinAnnexB, parseAvcDecoderConfigurationRecord, serializeAdtsHeader } from 'sluice/sdk/media'
import { framemd5 } from '../../../test/peers/ffmpeg.ts'
import { ffprobeStreams } from '../../../test/peers/ffprobe.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { CLIP, Clip, type ClipPicture } from './clip.ts'

const MAX_CLIP_BYTES = 1024 * 1024

describe('Clip', () => {
  const clip = new Clip()
  let pictures: readonly ClipPicture[]
  before(() => {
    pictures = Array.from({ length: clip.length }, (_, index) => clip.picture(index))
  })

  it('makes each picture once, also for who begins in the midst of it', () => {
    const late = new Clip({ seconds: 2 })
    const picture = late.picture(30)
    expect(late.picture(30)).to.equal(picture)
    expect(late.picture(0).keyframe).to.equal(true)
    expect(() => late.picture(50)).to.throw(RangeError)
  })

  it('makes a small clip with a keyframe every two seconds', () => {
    expect(pictures).to.have.length(250)
    const keyframes = [...pictures.keys()].filter((index) => pictures[index]?.keyframe)
    expect(keyframes).to.eql([0, 50, 100, 150, 200])
    expect(pictures.reduce((sum, { data }) => sum + data.length, 0)).to.be.lessThan(MAX_CLIP_BYTES)
    expect(clip.video).to.include({ width: CLIP.width, height: CLIP.height, codecString: 'avc1.42c01e' })
    expect(clip.audio).to.include({ sampleRate: 48_000, channels: 1, codecString: 'mp4a.40.2' })
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

    it('shows every picture, and no two are the same, over the end of the clip, too', async () => {
      const file = join(folder, 'clip.h264')
      const { sps, pps } = parseAvcDecoderConfigurationRecord(clip.video.record)
      const nalus = pictures.map(({ data }) => data.subarray(4))
      await writeFile(file, joinAnnexB([...sps, ...pps, ...nalus, ...nalus.slice(0, 60)]))
      expect((await ffprobeStreams(file))[0]).to.include({ codec: 'h264', width: CLIP.width, height: CLIP.height })
      const frames = await framemd5(file)
      expect(frames).to.have.length(310)
      expect(frames.every(({ sizeBytes }) => sizeBytes === CLIP.width * CLIP.height * 1.5)).to.equal(true)
      expect(new Set(frames.slice(0, 250).map(({ md5 }) => md5)).size).to.equal(250)
      expect(frames.slice(250).map(({ md5 }) => md5)).to.eql(frames.slice(0, 60).map(({ md5 }) => md5))
    })

    it('is silent', async () => {
      const file = join(folder, 'silence.aac')
      const format = { objectType: 2, sampleRate: clip.audio.sampleRate, channelConfiguration: 1 }
      const header = serializeAdtsHeader(format, clip.silence.length)
      await writeFile(file, Buffer.concat(Array.from({ length: 20 }, () => [header, clip.silence]).flat()))
      const frames = await framemd5(file)
      expect(frames.length).to.be.within(19, 20)
      expect(new Set(frames.map(({ md5 }) => md5)).size).to.equal(1)
    })
  })
})
