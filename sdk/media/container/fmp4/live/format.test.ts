import { expect } from 'chai'
import { AccessUnit } from '../../../access-unit.ts'
import { g711Config } from '../../../codec/g711/config.ts'
import { h264Config } from '../../../codec/h264/config.ts'
import type { Muxer } from '../../../muxer.ts'
import type { Track, TrackInit } from '../../../track.ts'
import { sampleTrack } from '../../flv/fixtures/tracks.ts'
import { FMP4_FORMAT } from './format.ts'

const VIDEO_INIT: TrackInit = { ...sampleTrack('h264').init, timescale: 90_000 }
const AUDIO_INIT: TrackInit = { ...sampleTrack('aac').init, timescale: 44_100 }
const VIDEO = track(VIDEO_INIT, 0)
const AUDIO = track(AUDIO_INIT, 1)
const G711 = track({ kind: 'audio', codec: 'pcma', timescale: 8000, config: g711Config('pcma', 8000, 1) }, 1)
const PICTURE = Buffer.from('0000000465888421', 'hex')

function track(init: TrackInit, id: number, layer = ''): Track {
  return { ...init, id, layer }
}

function unit(of: Track, dts: number, keyframe = true): AccessUnit {
  return AccessUnit.fromData(of, dts, dts, keyframe, PICTURE)
}

/** Boxes by their types, two levels deep: `moof(mfhd traf)`. */
function typesOf(bytes: Buffer | null): string {
  const types: string[] = []
  for (const box of boxesOf(bytes ?? Buffer.alloc(0))) {
    const inner = box.type === 'moov' || box.type === 'moof' ? boxesOf(box.body).map(({ type }) => type) : []
    types.push(inner.length > 0 ? `${box.type}(${inner.join(' ')})` : box.type)
  }
  return types.join(' ')
}

function boxesOf(bytes: Buffer): { type: string; body: Buffer }[] {
  const boxes: { type: string; body: Buffer }[] = []
  for (let offset = 0; offset < bytes.length; offset += bytes.readUInt32BE(offset)) {
    const body = bytes.subarray(offset + 8, offset + bytes.readUInt32BE(offset))
    boxes.push({ type: bytes.toString('latin1', offset + 4, offset + 8), body })
  }
  return boxes
}

/** Number of the fragment, and of its track. */
function numbersOf(bytes: Buffer | null): [sequenceNumber: number, trackId: number] {
  const [header, fragment] = boxesOf(boxesOf(bytes!)[0]!.body)
  return [header!.body.readUInt32BE(4), boxesOf(fragment!.body)[0]!.body.readUInt32BE(4)]
}

/** What a fragment has of each track: its number, how many samples, and from which time on. */
function runsOf(bytes: Buffer | null): string[] {
  const [, ...fragments] = boxesOf(boxesOf(bytes!)[0]!.body)
  return fragments.map(({ body }) => {
    const [header, time, run] = boxesOf(body).map((box) => box.body)
    return `${header!.readUInt32BE(4)}: ${run!.readUInt32BE(4)} from ${time!.readBigUInt64BE(4)}`
  })
}

function start(muxer: Muxer, ...tracks: Track[]): Buffer {
  return muxer.start({ tracks, metadata: {} })
}

/** A track came beside others, or was configured anew. */
function change(muxer: Muxer, track: Track, ...others: Track[]): Buffer | null {
  start(muxer, track, ...others)
  return muxer.configure(track, 0)
}

describe('FMP4_FORMAT', () => {
  const TWO_TRACKS = 'ftyp moov(mvhd trak trak mvex)'
  const ONE_TRACK = 'ftyp moov(mvhd trak mvex)'

  it('begins with an init segment, and makes a fragment of each unit', () => {
    const muxer = FMP4_FORMAT.createMuxer()
    expect(typesOf(start(muxer, VIDEO, AUDIO))).to.equal(TWO_TRACKS)
    const fragments = [unit(VIDEO, 0), unit(AUDIO, 0), unit(VIDEO, 3600, false)].map((each) => muxer.mux(each))
    expect(fragments.map(typesOf)).to.eql(['moof(mfhd traf traf) mdat', ...Array(2).fill('moof(mfhd traf) mdat')])
    expect(fragments.map(numbersOf)).to.eql([
      [1, 1],
      [2, 2],
      [3, 1],
    ])
  })

  it('tells at a keyframe, with which viewers begin, where the sound goes on', () => {
    const muxer = FMP4_FORMAT.createMuxer()
    start(muxer, VIDEO, AUDIO)
    const keyframes = [unit(VIDEO, 90_000), unit(AUDIO, 44_100), unit(VIDEO, 93_600)].map((each) => muxer.mux(each))
    expect(runsOf(keyframes[0] ?? null)).to.eql(['1: 1 from 90000', '2: 0 from 44100'])
    expect(runsOf(keyframes[2] ?? null)).to.eql(['1: 1 from 93600', '2: 0 from 45124'])
  })

  it('leaves out what players of fMP4 do not take: G.711, VP8 and further tracks', () => {
    const further = track(VIDEO_INIT, 2, 'low')
    const vp8 = track({ ...VIDEO_INIT, codec: 'vp8' } as TrackInit, 0)
    for (const left of [G711, further, vp8]) {
      const muxer = FMP4_FORMAT.createMuxer()
      const kept = left.kind === 'audio' || left === further ? VIDEO : AUDIO
      expect(typesOf(start(muxer, kept, left))).to.equal(ONE_TRACK)
      expect(muxer.mux(unit(left, 0))).to.equal(null)
      expect(muxer.configure(left, 0)).to.equal(null)
    }
  })

  it('announces a track that comes late, or is configured anew, by another init segment', () => {
    const muxer = FMP4_FORMAT.createMuxer()
    const first = start(muxer, VIDEO)
    expect(typesOf(change(muxer, AUDIO, VIDEO))).to.equal(TWO_TRACKS)
    const { config } = VIDEO_INIT
    const record = Buffer.from(config.record)
    record[3] = 31
    const changed = change(muxer, { ...VIDEO, config: h264Config(record) } as Track, AUDIO)
    expect(typesOf(changed)).to.equal(TWO_TRACKS)
    expect(first.includes(config.record)).to.equal(true)
    expect(changed?.includes(config.record)).to.equal(false)
    expect(changed?.includes(record)).to.equal(true)
  })

  it('keeps its numbers when another publisher declares its tracks in another order', () => {
    const muxer = FMP4_FORMAT.createMuxer()
    start(muxer, VIDEO, AUDIO)
    const successors = [track(AUDIO_INIT, 0), track(VIDEO_INIT, 1)]
    start(muxer, ...successors)
    expect(successors.map((each) => numbersOf(muxer.mux(unit(each, 0))))).to.eql([
      [1, 2],
      [2, 1],
    ])
  })

  it('goes on without a track in whose place one came that it can not carry', () => {
    const muxer = FMP4_FORMAT.createMuxer()
    start(muxer, VIDEO, AUDIO)
    expect(change(muxer, G711, VIDEO)).to.equal(null)
    expect(muxer.mux(unit(G711, 0))).to.equal(null)
    expect(typesOf(start(muxer, VIDEO, G711))).to.equal(ONE_TRACK)
  })
})
