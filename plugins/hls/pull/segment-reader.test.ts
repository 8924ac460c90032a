import { expect } from 'chai'
import type { AccessUnit, Track } from 'sluice/sdk'
import { aacConfig, MalformedError } from 'sluice/sdk/media'
import { AUDIO, FRAMES, makeSegments, PICTURES, VIDEO } from './fixtures/made-segments.ts'
import { TrackLog } from './fixtures/source-rig.ts'
import type { LoadedSegment } from './segment-loader.ts'
import { SegmentReader } from './segment-reader.ts'

const FMP4 = makeSegments('', { format: 'fmp4', video: VIDEO, audio: AUDIO, count: 2 })
const FMP4_SILENT = makeSegments('', { format: 'fmp4', video: VIDEO, count: 1 })
const TS = makeSegments('', { format: 'ts', video: VIDEO, audio: AUDIO, count: 2 })
const TS_SILENT = makeSegments('', { format: 'ts', video: VIDEO, count: 1, fromSeconds: 2 })
const INIT = FMP4.get('init')!

const fmp4 = (bytes: Buffer, init = INIT): LoadedSegment => ({ container: 'fmp4', init, bytes })
const ts = (bytes: Buffer): LoadedSegment => ({ container: 'ts', init: undefined, bytes })
/** AudioSpecificConfig of AAC LC, 44100 Hz, mono. */
const MONO = Buffer.from([0x12, 0x08])
/** What follows its units is no box. */
const BROKEN = Buffer.concat([FMP4.get('0')!, Buffer.from([0x7f, 0, 0, 0, ...Buffer.from('moof')])])

function rig() {
  const log = new TrackLog()
  const reader = new SegmentReader(log)
  const read = (loaded: LoadedSegment, discontinuity = 0) => {
    reader.read(loaded, discontinuity)
    return reader.take()
  }
  return { log, reader, read }
}

const counts = (units: readonly AccessUnit[]) =>
  (['video', 'audio'] as const).map((kind) => units.filter(({ track }) => track.kind === kind).length)

describe('SegmentReader', () => {
  it('gives the units of segments that go on, and adds their tracks at once', () => {
    const { log, read } = rig()
    expect(counts(read(fmp4(FMP4.get('0')!)).units)).to.eql([PICTURES, FRAMES])
    const second = read(fmp4(FMP4.get('1')!))
    expect(counts(second.units)).to.eql([PICTURES, FRAMES])
    expect([second.start.length, second.before.size, second.after.size]).to.eql([0, 0, 0])
    expect(log.events).to.eql(['add video 90000', 'add audio 44100'])
  })

  it('tells where times are counters', () => {
    expect(rig().read(fmp4(FMP4.get('0')!)).counters).to.equal(false)
    expect(rig().read(ts(TS.get('0')!)).counters).to.equal(true)
  })

  it('says which segments may bring other tracks', () => {
    const { reader, read } = rig()
    const next = fmp4(FMP4.get('1')!)
    expect(reader.beginsAnew(next, 0)).to.equal(true)
    read(fmp4(FMP4.get('0')!))
    expect(reader.beginsAnew(next, 0)).to.equal(false)
    expect(reader.beginsAnew(next, 1), 'a discontinuity').to.equal(true)
    expect(reader.beginsAnew(fmp4(next.bytes, Buffer.from(INIT)), 0), 'another init segment').to.equal(true)
    const bare: LoadedSegment = { ...next, init: undefined }
    read(bare)
    expect(reader.beginsAnew(bare, 0)).to.equal(false)
    expect(reader.beginsAnew({ ...bare, container: 'ts' }, 0), 'another container').to.equal(true)
  })

  it('gives what it could read of a broken segment, and goes on with the same tracks', () => {
    const { log, reader, read } = rig()
    expect(() => read(fmp4(BROKEN))).to.throw(MalformedError)
    expect(counts(reader.take().units)).to.eql([PICTURES, FRAMES])
    expect(reader.beginsAnew(fmp4(FMP4.get('1')!), 0)).to.equal(true)
    expect(counts(read(fmp4(FMP4.get('1')!)).units)).to.eql([PICTURES, FRAMES])
    expect(log.events).to.eql(['add video 90000', 'add audio 44100'])
  })

  it('ends the tracks that are not there again', () => {
    const { log, reader, read } = rig()
    expect(() => read(fmp4(BROKEN))).to.throw(MalformedError)
    reader.take()
    expect(counts(read(fmp4(FMP4_SILENT.get('0')!, FMP4_SILENT.get('init'))).units)).to.eql([PICTURES, 0])
    expect(log.events.slice(2)).to.eql(['remove audio 44100'])
    expect(reader.trackCount).to.equal(1)
  })

  it('forgets configurations whose unit a broken segment had', () => {
    const { reader, read } = rig()
    const first = read(fmp4(FMP4.get('0')!))
    const { track } = first.units.find((unit) => unit.track.kind === 'audio')!
    reader.configureTrack(track, aacConfig(MONO))
    expect(() => read(fmp4(BROKEN.subarray(FMP4.get('0')!.length)))).to.throw(MalformedError)
    expect(read(fmp4(FMP4.get('1')!)).before.size).to.equal(0)
  })

  it('ends a track within a stretch after its last unit', () => {
    const { log, read } = rig()
    read(ts(TS.get('0')!))
    // Both have the same tables but for the sound, which ends between them.
    const { units, start, after } = read(ts(Buffer.concat([TS.get('1')!, TS_SILENT.get('0')!])))
    expect(start).to.eql([])
    const last = units.findLast(({ track }) => track.kind === 'audio')!
    expect([...after.keys()]).to.eql([last])
    expect(log.events.filter((event) => event.startsWith('remove'))).to.eql([])
    for (const act of after.get(last) ?? []) act()
    expect(log.events.slice(2)).to.eql(['remove audio 90000'])
  })

  it('ends a track that has no unit any more before all others of its segment', () => {
    const { log, read } = rig()
    read(ts(TS.get('0')!))
    const { start, after } = read(ts(TS_SILENT.get('0')!))
    expect([start.length, after.size]).to.eql([1, 0])
    expect(log.events.filter((event) => event.startsWith('remove'))).to.eql([])
  })

  it('ends it at once where a segment begins anew', () => {
    const { log, read } = rig()
    read(ts(TS.get('0')!))
    const { start, after } = read(ts(TS_SILENT.get('0')!), 1)
    expect([start.length, after.size]).to.eql([0, 0])
    expect(log.events.slice(2)).to.eql(['remove audio 90000'])
  })

  it('configures a track before its next unit, and once', () => {
    const { log, reader, read } = rig()
    const { units } = read(fmp4(FMP4.get('0')!))
    const tracks = [...new Set(units.map(({ track }): Track => track))]
    for (const track of tracks) expect(reader.configureTrack(track, { ...track.config })).to.equal(track)
    const sound = tracks.find(({ kind }) => kind === 'audio')!
    const mono = reader.configureTrack(sound, aacConfig(MONO))
    expect(mono.id).to.equal(sound.id)
    const unit = units.findLast(({ track }) => track === sound)!
    const next = [unit.at(mono, unit.dts + 1024, unit.dts + 1024), unit.at(mono, unit.dts + 2048, unit.dts + 2048)]
    for (const each of next) reader.write(each)
    const { before } = reader.take()
    expect([...before.keys()]).to.eql([next[0]])
    expect(log.events.slice(2)).to.eql([])
    for (const acts of before.values()) for (const act of acts) act()
    for (const each of next) reader.publish(each)
    expect(log.events.slice(2)).to.eql(['configure audio mp4a.40.2', '2 audio 44100'])
  })
})
