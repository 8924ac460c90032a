import { expect } from 'chai'
import { parseAmf0, serializeAmf0 } from '../../amf/amf0.ts'
import { newAmfObject } from '../../amf/value.ts'
import type { AmfValue } from '../../amf/value.ts'
import { MalformedError } from '../../errors.ts'
import { sampleTrack } from './fixtures/tracks.ts'
import { FlvReader } from './reader.ts'
import { onMetaDataFields, parseScriptData, serializeOnMetaData } from './script-data.ts'
import type { Track } from '../../track.ts'
import { loadFlv } from './fixtures/bytes.ts'

function track(codec: Track['codec'], id: number): Track {
  return { ...sampleTrack(codec).init, id }
}

function describedFields(tracks: readonly Track[]): unknown {
  const [name, fields] = parseAmf0(serializeOnMetaData(tracks))
  expect(name).to.equal('onMetaData')
  expect(fields).to.be.instanceOf(Map)
  return Object.fromEntries(fields as ReadonlyMap<string, AmfValue>)
}

describe('FLV script data', () => {
  it('reads what ffmpeg wrote', () => {
    const file = loadFlv('h264-aac')
    const fields = onMetaDataFields(parseScriptData(new FlvReader().push(file)[0]!.body))
    expect(fields).to.include({
      width: 64,
      height: 48,
      videocodecid: 7,
      framerate: 25,
      audiocodecid: 10,
      stereo: false,
    })
  })

  it('drops @setDataFrame', () => {
    const body = serializeAmf0(['@setDataFrame', 'onMetaData', { width: 640 }])
    const script = parseScriptData(body)
    expect(script.name).to.equal('onMetaData')
    expect(onMetaDataFields(script)).to.deep.equal(Object.assign(newAmfObject(), { width: 640 }))
  })

  it('gives no fields for other script data', () => {
    expect(onMetaDataFields(parseScriptData(serializeAmf0(['onCuePoint', { a: 1 }])))).to.equal(null)
    expect(onMetaDataFields(parseScriptData(serializeAmf0(['onMetaData'])))).to.equal(null)
    expect(onMetaDataFields(parseScriptData(serializeAmf0(['onMetaData', 'text'])))).to.equal(null)
  })

  for (const values of [[], [1], ['@setDataFrame'], [null, 'onMetaData']] as const) {
    it(`refuses ${JSON.stringify(values)}`, () => {
      expect(() => parseScriptData(serializeAmf0(values))).to.throw(MalformedError)
    })
  }

  it('describes H.264 and AAC by their legacy ids', () => {
    expect(describedFields([track('h264', 0), track('aac', 1)])).to.deep.equal({
      width: 64,
      height: 48,
      videocodecid: 7,
      audiocodecid: 10,
      audiosamplerate: 44_100,
      audiosamplesize: 16,
      stereo: false,
    })
  })

  it('describes other codecs by their FourCC', () => {
    expect(describedFields([track('av1', 0)])).to.include({ videocodecid: 1_635_135_537 })
    expect(describedFields([track('opus', 0)])).to.include({ audiocodecid: 1_332_770_163 })
  })

  it('describes further tracks by track id', () => {
    const fields = describedFields([track('h264', 0), track('aac', 1), track('h265', 2), track('opus', 3)])
    expect(fields).to.include({ videocodecid: 7, audiocodecid: 10 })
    const video = Object.assign(newAmfObject(), { width: 64, height: 48, videocodecid: 0x68766331 })
    expect(fields)
      .to.have.property('videoTrackIdInfoMap')
      .that.deep.equals(Object.assign(newAmfObject(), { 1: video }))
    expect(fields).to.have.nested.property('audioTrackIdInfoMap.1.audiosamplerate', 48_000)
  })

  it('leaves out a size that is not known', () => {
    const vp8 = sampleTrack('vp8').init
    const unsized = { ...vp8, id: 0, config: { ...vp8.config, width: 0, height: 0 } } as Track
    expect(describedFields([unsized])).not.to.have.any.keys('width', 'height')
  })
})
