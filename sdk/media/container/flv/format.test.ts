import { expect } from 'chai'
import { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { sampleTrack } from './fixtures/tracks.ts'
import { FLV_FORMAT } from './format.ts'
import { FlvReader } from './reader.ts'
import type { FlvTag } from './tag.ts'

const VIDEO: Track = { ...sampleTrack('h264').init, id: 0 }
const AUDIO: Track = { ...sampleTrack('aac').init, id: 1 }
const SECOND_VIDEO: Track = { ...VIDEO, id: 2, layer: '1' }
const METADATA = {}

function muxerOf(tracks: readonly Track[]) {
  const muxer = FLV_FORMAT.createMuxer()
  return { muxer, start: muxer.start({ tracks, metadata: METADATA }) }
}

function unitOf(track: Track, timeMs: number): AccessUnit {
  const ticks = (timeMs * track.timescale) / 1000
  return AccessUnit.fromData(track, ticks, ticks, true, Buffer.from('0000000165', 'hex'))
}

function readTags(...parts: readonly (Buffer | null)[]): FlvTag[] {
  return new FlvReader().push(Buffer.concat(parts.filter((part) => part !== null)))
}

describe('FLV_FORMAT', () => {
  it('begins with header, metadata and sequence headers, and goes on with the time of the stream', () => {
    const { muxer, start } = muxerOf([VIDEO, AUDIO])
    const tags = readTags(start, muxer.mux(unitOf(VIDEO, 5000)), muxer.mux(unitOf(AUDIO, 5020)))
    expect(start.toString('latin1', 0, 3)).to.equal('FLV')
    expect(start[4]).to.equal(0x05)
    expect(tags.map(({ type, timestampMs }) => [type, timestampMs])).to.eql([
      [18, 0],
      [9, 0],
      [8, 0],
      [9, 5000],
      [8, 5020],
    ])
  })

  for (const { name, tracks, flags } of [
    { name: 'pictures alone', tracks: [VIDEO], flags: 0x01 },
    { name: 'sound alone', tracks: [AUDIO], flags: 0x04 },
  ]) {
    it(`says in its header that it has ${name}`, () => {
      const { start } = muxerOf(tracks)
      expect(start[4]).to.equal(flags)
      expect(readTags(start)).to.have.length(2)
    })
  }

  it('leaves out what is not the main track of its kind', () => {
    const { muxer, start } = muxerOf([VIDEO, SECOND_VIDEO])
    expect(readTags(start)).to.have.length(2)
    expect(muxer.configure(SECOND_VIDEO, 0)).to.equal(null)
    expect(muxer.mux(unitOf(SECOND_VIDEO, 0))).to.equal(null)
  })

  it('tells a new configuration at its time', () => {
    const { muxer, start } = muxerOf([VIDEO])
    const [, , config] = readTags(start, muxer.configure(VIDEO, 700))
    expect(config).to.include({ type: 9, timestampMs: 700 })
    expect(config?.body[1]).to.equal(0)
  })
})
