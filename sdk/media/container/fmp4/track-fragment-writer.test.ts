import { expect } from 'chai'
import { AccessUnit } from '../../access-unit.ts'
import { aacConfig } from '../../codec/aac/config.ts'
import type { AudioTrack, VideoTrack } from '../../track.ts'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { readFragment } from './fixtures/boxes.ts'
import { serializeFragment } from './fragment.ts'
import { TrackFragmentWriter } from './track-fragment-writer.ts'

const VIDEO = { ...sampleTrack('h264').init, id: 0 } as VideoTrack
const AUDIO: AudioTrack = { kind: 'audio', codec: 'aac', timescale: 1000, config: aacConfig(fromHex('1210')), id: 1 }
const FRAME = fromHex('2100')

function picture(dts: number): AccessUnit {
  return AccessUnit.fromData(VIDEO, dts, dts, true, fromHex('00000002 419a'))
}

function sound(dts: number): AccessUnit {
  return AccessUnit.fromData(AUDIO, dts, dts, true, FRAME)
}

describe('TrackFragmentWriter', () => {
  it('says how long sound tells that it is, and nothing of pictures or what is broken', () => {
    expect(new TrackFragmentWriter(AUDIO).toldSeconds(FRAME)).to.equal(1024 / 44_100)
    expect(new TrackFragmentWriter(VIDEO).toldSeconds(FRAME)).to.equal(undefined)
    const opus = { ...sampleTrack('opus').init, id: 0 }
    expect(new TrackFragmentWriter(opus).toldSeconds(Buffer.of(0xff, 0))).to.equal(undefined)
  })

  it('gives each unit once, save for the last where that is to stay', () => {
    const writer = new TrackFragmentWriter(AUDIO)
    expect(writer.take()).to.equal(undefined)
    for (const dts of [0, 23, 46]) writer.write(sound(dts))
    expect(writer.takeAllButLast()?.samples).to.have.length(2)
    expect(writer.takeAllButLast()).to.equal(undefined)
    expect(writer.take()).to.deep.include({
      trackId: 2,
      kind: 'audio',
      timescale: 44_100,
      baseDts: 2048,
      data: [FRAME],
    })
    expect(writer.take()).to.equal(undefined)
  })

  it('tells where its track goes on: at the unit beside it, or where its last sample ends', () => {
    const writer = new TrackFragmentWriter(AUDIO)
    expect(writer.position(picture(1000))).to.deep.include({ trackId: 2, baseDts: 44_100, samples: [], data: [] })
    writer.write(sound(2000))
    writer.take()
    expect(writer.position(picture(1000))).to.deep.include({ baseDts: 88_200 + 1024, samples: [] })
  })

  it('makes a fragment that tells of a track without a sample where it is', () => {
    const video = new TrackFragmentWriter(VIDEO)
    video.write(picture(1000))
    const position = new TrackFragmentWriter(AUDIO).position(picture(1000))
    const { sequenceNumber, runs } = readFragment(serializeFragment(7, [video.take()!, position]))
    expect(sequenceNumber).to.equal(7)
    expect(runs.map(({ trackId, baseDts, samples }) => [trackId, baseDts, samples.length])).to.deep.equal([
      [1, 1000, 1],
      [2, 44_100, 0],
    ])
  })
})
