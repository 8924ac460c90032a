import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { AccessUnit } from '../../access-unit.ts'
import { MalformedError } from '../../errors.ts'
import type { Track, TrackInit } from '../../track.ts'
import { SAMPLE_TRACKS, sampleTrack } from '../flv/fixtures/tracks.ts'
import { PES_CLOCK_RANGE } from '../pes/clock.ts'
import { demuxTs, muxTs } from './fixtures/units.ts'
import { TS_CLOCK_LEAD_TICKS, TsMuxer } from './muxer.ts'
import { parseTsPacket, TS_PACKET_SIZE_BYTES } from './packet.ts'
import type { TsPacket } from './packet.ts'
import { parsePmt } from './program-tables.ts'
import { parseTsSection } from './section.ts'
import { canCarryInTs } from './stream-entry.ts'

const CARRIED = SAMPLE_TRACKS.map(({ init }) => ({ ...init, timescale: 90_000, id: 0 })).filter(canCarryInTs)

function trackOf(codec: Track['codec'], id: number, extra: { language?: string } = {}): Track {
  return { ...sampleTrack(codec).init, timescale: 90_000, id, ...extra }
}

function unitOf(track: Track, dts: number, keyframe = true): AccessUnit {
  const { keyframe: first, frame } = sampleTrack(track.codec)
  return AccessUnit.fromData(track, dts, dts, keyframe, keyframe ? first : frame)
}

function packetsOf(bytes: Buffer): TsPacket[] {
  const count = bytes.length / TS_PACKET_SIZE_BYTES
  return Array.from({ length: count }, (_, index) => parseTsPacket(bytes, index * TS_PACKET_SIZE_BYTES))
}

function mapOf(tables: Buffer) {
  const { payload } = parseTsPacket(tables, TS_PACKET_SIZE_BYTES)
  const section = parseTsSection(payload.subarray(1, 4 + (payload.readUInt16BE(2) & 0xfff)))
  return { version: section.version, ...parsePmt(section) }
}

/** The clock of each packet that has one, by its index. */
function clocksOf(bytes: Buffer): [index: number, clock: number][] {
  const clocks: [number, number][] = []
  for (let offset = 0; offset < bytes.length; offset += TS_PACKET_SIZE_BYTES) {
    const hasClock = (bytes[offset + 3]! & 0x20) !== 0 && bytes[offset + 4]! > 0 && (bytes[offset + 5]! & 0x10) !== 0
    if (!hasClock) continue
    const clock = bytes.readUInt32BE(offset + 6) * 2 + (bytes[offset + 10]! >> 7)
    clocks.push([offset / TS_PACKET_SIZE_BYTES, clock])
  }
  return clocks
}

describe('TsMuxer', () => {
  it('carries what MPEG-TS has room for', () => {
    const codecs = CARRIED.map(({ codec }) => codec)
    expect(codecs).to.deep.equal(['h264', 'h265', 'aac', 'opus', 'mp3', 'ac3', 'eac3', 'pcma'])
    const stereo = trackOf('pcmu', 0)
    expect(stereo.config).to.include({ channels: 2 })
    for (const track of [stereo, trackOf('av1', 0), trackOf('flac', 0)]) {
      expect(() => new TsMuxer().start([track])).to.throw(RangeError, track.codec)
    }
    const { config } = sampleTrack('aac').init
    const wide = { ...trackOf('aac', 0), config: { ...config, record: Buffer.from('1240', 'hex') } } as Track
    expect(canCarryInTs({ ...wide, config: { ...config, record: Buffer.from('f8e8', 'hex') } } as Track)).to.equal(
      false,
    )
    expect(canCarryInTs({ ...wide, config: { ...config, record: Buffer.alloc(0) } } as Track)).to.equal(false)
  })

  it('tells its tracks, and moves the version when they change', () => {
    const muxer = new TsMuxer()
    const video = trackOf('h264', 0)
    const audio = trackOf('aac', 1)
    const first = mapOf(muxer.start([video, audio]))
    expect(first.pcrPid).to.equal(0x100)
    expect(first.streams.map(({ streamType, pid }) => [streamType, pid])).to.deep.equal([
      [0x1b, 0x100],
      [0x0f, 0x101],
    ])
    expect(mapOf(muxer.start([video, audio])).version).to.equal(first.version)
    expect(mapOf(muxer.tables()).version).to.equal(first.version)
    const second = mapOf(muxer.start([audio, trackOf('opus', 2, { language: 'fr' })]))
    expect(second).to.include({ version: first.version + 1, pcrPid: 0x101 })
    expect(second.streams[1]?.descriptors.map(({ data }) => data.toString('latin1'))).to.include.members([
      'Opus',
      'fra\0',
    ])
    expect(() => muxer.mux(unitOf(video, 0))).to.throw(RangeError)
  })

  it('gives PIDs in the order of the tracks, whatever their ids, and none twice', () => {
    const muxer = new TsMuxer()
    const pids = (tracks: readonly Track[]) => mapOf(muxer.start(tracks)).streams.map(({ pid }) => pid)
    const [audio, video, other] = [trackOf('aac', 4), trackOf('h264', 7), trackOf('h265', 9)]
    expect(pids([video, audio])).to.deep.equal([0x100, 0x101])
    expect(pids([other, audio])).to.deep.equal([0x102, 0x101])
    expect(pids([video, audio])).to.deep.equal([0x103, 0x101])
  })

  it('counts the packets of each PID on, over several starts', () => {
    const muxer = new TsMuxer()
    const tracks = [trackOf('h264', 0), trackOf('aac', 1)]
    const parts: Buffer[] = []
    for (let segment = 0; segment < 20; segment++) {
      parts.push(muxer.start(tracks))
      for (const track of tracks) parts.push(muxer.mux(unitOf(track, segment * 3600)))
    }
    const counters = new Map<number, number>()
    for (const { pid, continuityCounter } of packetsOf(Buffer.concat(parts))) {
      const last = counters.get(pid)
      if (last !== undefined) expect(continuityCounter).to.equal((last + 1) % 16)
      counters.set(pid, continuityCounter)
    }
    expect(counters.size).to.equal(4)
  })

  it('keeps the clock going while the video pauses, and never back', () => {
    const muxer = new TsMuxer()
    const video = trackOf('h264', 0)
    const audio = trackOf('aac', 1)
    const parts = [muxer.start([video, audio]), muxer.mux(unitOf(video, 0))]
    for (let dts = 0; dts <= 90_000; dts += 1920) parts.push(muxer.mux(unitOf(audio, dts)))
    parts.push(muxer.mux(unitOf(video, 80_000)))
    const bytes = Buffer.concat(parts)
    const packets = packetsOf(bytes).filter(({ pid }) => pid === 0x100)
    // A packet without payload repeats the counter.
    for (const [index, { hasPayload, continuityCounter }] of packets.entries()) {
      if (index > 0) expect(continuityCounter - packets[index - 1]!.continuityCounter).to.equal(hasPayload ? 1 : 0)
    }
    const clocks = clocksOf(bytes).map(([, clock]) => clock)
    expect(clocks).to.have.length.greaterThan(10)
    for (const [index, clock] of clocks.entries()) {
      if (index > 0) expect(clock - clocks[index - 1]!).to.be.within(0, 9000)
    }
    const read = demuxTs([bytes])
    expect(read.units).to.have.length(49)
  })

  it('marks where a decoder can start', () => {
    const muxer = new TsMuxer()
    const video = trackOf('h264', 0)
    const audio = trackOf('aac', 1)
    muxer.start([video, audio])
    const isMarked = (bytes: Buffer) => (bytes[3]! & 0x20) !== 0 && bytes[4]! > 0 && (bytes[5]! & 0x40) !== 0
    const units = [unitOf(video, 0), unitOf(video, 3600, false), unitOf(audio, 3600)]
    expect(units.map((unit) => isMarked(muxer.mux(unit)))).to.deep.equal([true, false, false])
    muxer.start([audio])
    expect(isMarked(muxer.mux(unitOf(audio, 7200)))).to.equal(true)
  })

  it('starts pictures with a delimiter, and keyframes with parameter sets of their own or of the track', () => {
    const track = trackOf('h264', 0)
    const sets = Buffer.from('00000001 6764000a 00000001 68ef'.replaceAll(' ', ''), 'hex')
    const inBand = AccessUnit.fromAnnexB(track, 0, 0, true, Buffer.concat([sets, Buffer.from('000000016588', 'hex')]))
    const muxer = new TsMuxer()
    muxer.start([track])
    const typesOf = (unit: AccessUnit) => {
      const data = Buffer.concat(packetsOf(muxer.mux(unit)).map(({ payload }) => payload)).subarray(14)
      return AccessUnit.fromAnnexB(track, 0, 0, true, data).nalus.map((nalu) => nalu[0]! & 31)
    }
    expect(typesOf(unitOf(track, 0))).to.deep.equal([9, 7, 8, 5])
    expect(typesOf(unitOf(track, 3600, false))).to.deep.equal([9, 1])
    expect(typesOf(inBand)).to.deep.equal([9, 7, 8, 5])
    const delimited = AccessUnit.fromAnnexB(track, 0, 0, false, Buffer.from('0000000109f000000001419a02', 'hex'))
    expect(typesOf(delimited)).to.deep.equal([9, 1])
  })

  it('follows a configuration that was replaced', () => {
    const track = trackOf('h264', 0)
    const muxer = new TsMuxer()
    muxer.start([track])
    const before = muxer.mux(unitOf(track, 0))
    const record = Buffer.from(track.config.record)
    record[record.indexOf(Buffer.from('68ef', 'hex')) + 1] = 0xee
    ;(track as { config: TrackInit['config'] }).config = { ...track.config, record }
    const after = muxer.mux(unitOf(track, 0))
    expect(before.includes(Buffer.from('68ef', 'hex'))).to.equal(true)
    expect(after.includes(Buffer.from('68ee', 'hex'))).to.equal(true)
  })

  it('tells no picture to be shown before it is decoded, whatever its source has', () => {
    const video = trackOf('h264', 0)
    const { keyframe } = sampleTrack('h264')
    const cts = [0, 7200, -3600, -3600, 7200, -3600, -3600, -900_000]
    const units = cts.map((ticks, index) => {
      const dts = 90_000 + index * 3600
      return AccessUnit.fromData(video, dts, dts + ticks, true, keyframe)
    })
    const bytes = muxTs([video], units)
    const read = demuxTs([bytes]).units
    for (const [index, { dts, pts }] of read.entries()) {
      expect(pts).to.be.at.least(dts)
      expect(dts).to.be.greaterThan(read[index - 1]?.dts ?? 0)
      // The last is too far off to be believed.
      if (index < cts.length - 1) expect(pts).to.be.closeTo(units[index]!.pts + TS_CLOCK_LEAD_TICKS, 1)
    }
    const clocks = clocksOf(bytes).map(([, clock]) => clock)
    expect(clocks).to.deep.equal(clocks.toSorted((one, other) => one - other))
  })

  it('refuses audio that is too long', () => {
    for (const codec of ['aac', 'opus'] as const) {
      const track = trackOf(codec, 0)
      const muxer = new TsMuxer()
      muxer.start([track])
      const unit = AccessUnit.fromData(track, 0, 0, true, Buffer.alloc(70_000))
      expect(() => muxer.mux(unit)).to.throw(MalformedError)
    }
  })

  it('makes what the demuxer reads as the same units, of any size and around the wrap', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 10 })
    const starts = fc.oneof(
      fc.nat(100_000),
      fc.integer({ min: -50_000, max: 50_000 }).map((ticks) => PES_CLOCK_RANGE + ticks),
    )
    const tracks = [trackOf('h264', 0), trackOf('h265', 1), trackOf('pcma', 2), trackOf('opus', 3)]
    fc.assert(
      fc.property(sizes, starts, fc.boolean(), (lengths, start, delayed) => {
        const units = lengths.flatMap((length, index) => {
          const dts = start + index * 3600
          const pts = dts + (delayed ? 7200 : 0)
          return tracks.map((track) => madeUnit(track, dts, track.kind === 'video' ? pts : dts, index === 0, length))
        })
        const read = demuxTs([muxTs(tracks, units)])
        for (const track of tracks) {
          const written = units.filter((unit) => unit.track === track)
          const again = read.units.filter((unit) => unit.track.codec === track.codec)
          expect(again.map(({ dts, pts, keyframe, data }) => ({ dts, pts, keyframe, data }))).to.deep.equal(
            written.map(({ dts, pts, keyframe, data }) => ({
              dts: (dts + TS_CLOCK_LEAD_TICKS) % PES_CLOCK_RANGE,
              pts: (pts + TS_CLOCK_LEAD_TICKS) % PES_CLOCK_RANGE,
              keyframe,
              data,
            })),
          )
        }
      }),
      { numRuns: rounds(60) },
    )
  })
})

/** A unit of so many bytes that no start code can hide in. */
function madeUnit(track: Track, dts: number, pts: number, keyframe: boolean, length: number): AccessUnit {
  const filler = Buffer.alloc(length, 0x55)
  if (track.kind === 'audio') {
    // The first byte of Opus says how long it plays.
    return AccessUnit.fromData(track, dts, pts, true, Buffer.concat([Buffer.of(0xfc), filler]))
  }
  const slice = track.codec === 'h264' ? [keyframe ? 0x65 : 0x41] : [keyframe ? 0x26 : 0x02, 1]
  return AccessUnit.fromNalus(track, dts, pts, keyframe, [Buffer.concat([Buffer.from(slice), filler])])
}
