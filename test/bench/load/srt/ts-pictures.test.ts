import { expect } from 'chai'
import { AccessUnit, TS_FORMAT, TS_PACKET_SIZE_BYTES, type Track } from 'sluice/sdk/media'
import { sampleTrack } from '../../../../sdk/media/container/flv/fixtures/tracks.ts'
import { serializeMarker } from '../../media/marker.ts'
import { TsPictures, type ArrivedPicture } from './ts-pictures.ts'

const VIDEO: Track = { ...sampleTrack('h264').init, timescale: 90_000, id: 0 }
const AUDIO: Track = { ...sampleTrack('aac').init, timescale: 90_000, id: 1 }
const LARGE = Buffer.concat([Buffer.from('00004e2065', 'hex'), Buffer.alloc(19_999, 0x55)])

function unitOf(track: Track, index: number, keyframe: boolean, data: Buffer): AccessUnit {
  return AccessUnit.fromData(track, index * 3600, index * 3600, keyframe, data)
}

describe('pictures of an MPEG-TS', () => {
  it('are told with their markers, and the time at which the last of them came', () => {
    const muxer = TS_FORMAT.createMuxer()
    const pieces = [muxer.start({ tracks: [VIDEO, AUDIO], metadata: {} })]
    for (let index = 0; index < 4; index += 1) {
      const marker = serializeMarker({ clockNs: BigInt(index), sequence: index })
      const keyframe = index % 2 === 0
      const picture = Buffer.concat([marker, index === 1 ? LARGE : sampleTrack('h264').frame])
      for (const unit of [
        unitOf(VIDEO, index, keyframe, picture),
        unitOf(AUDIO, index, true, sampleTrack('aac').frame),
      ]) {
        pieces.push(muxer.mux(unit) ?? Buffer.alloc(0))
      }
    }
    const told: ArrivedPicture[] = []
    const pictures = new TsPictures((picture) => told.push(picture))
    const bytes = Buffer.concat(pieces)
    for (let at = 0; at < bytes.length; at += TS_PACKET_SIZE_BYTES) {
      pictures.push(bytes.subarray(at, at + TS_PACKET_SIZE_BYTES), BigInt(at / TS_PACKET_SIZE_BYTES))
    }
    expect(told.map(({ marker, keyframe }) => [marker?.sequence, keyframe])).to.eql([
      [0, true],
      [1, false],
      [2, true],
    ])
    expect(Number(told[1]!.clockNs - told[0]!.clockNs)).to.be.at.least(LARGE.length / TS_PACKET_SIZE_BYTES)
  })
})
