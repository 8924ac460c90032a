import { expect } from 'chai'
import { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { RecordingSink } from '../flv/fixtures/recording-sink.ts'
import { TsDemuxer } from './demuxer.ts'
import { demuxTs } from './fixtures/units.ts'
import { TS_FORMAT } from './format.ts'
import { serializeTsRestart } from './muxer.ts'
import { parseTsPacket, TS_PACKET_SIZE_BYTES, TS_PAT_PID } from './packet.ts'

const VIDEO = trackOf('h264', 0)
const AUDIO = trackOf('aac', 1)
const FRAME_TICKS = 3600
const METADATA = {}

function trackOf(codec: Track['codec'], id: number): Track {
  return { ...sampleTrack(codec).init, timescale: 90_000, id }
}

function unitOf(track: Track, index: number, keyframe = true): AccessUnit {
  const { keyframe: first, frame } = sampleTrack(track.codec)
  const dts = index * FRAME_TICKS
  return AccessUnit.fromData(track, dts, dts, keyframe, keyframe ? first : frame)
}

/** The counters of the packets of each PID. */
function countersOf(bytes: Buffer): Map<number, number[]> {
  const counters = new Map<number, number[]>()
  for (let offset = 0; offset < bytes.length; offset += TS_PACKET_SIZE_BYTES) {
    const { pid } = parseTsPacket(bytes, offset)
    const counter = bytes[offset + 3]! & 0x0f
    counters.set(pid, [...(counters.get(pid) ?? []), counter])
  }
  return counters
}

/** The clock references, in units of 300 ticks of 27 MHz (ISO/IEC 13818-1 2.4.3.4). */
function clocksOf(bytes: Buffer): number[] {
  const clocks: number[] = []
  for (let offset = 0; offset < bytes.length; offset += TS_PACKET_SIZE_BYTES) {
    const hasField = (bytes[offset + 3]! & 0x20) > 0 && bytes[offset + 4]! > 0
    if (hasField && (bytes[offset + 5]! & 0x10) > 0)
      clocks.push(bytes.readUInt32BE(offset + 6) * 2 + (bytes[offset + 10]! >> 7))
  }
  return clocks
}

/** Fails unless the packets of each PID follow each other. */
function expectCountedOn(seen: readonly Buffer[]): void {
  for (const [pid, counters] of countersOf(Buffer.concat(seen))) {
    const [start = 0] = counters
    expect(counters, `PID ${pid}`).to.eql(counters.map((_, index) => (start + index) % 16))
  }
}

function hasTables(bytes: Buffer | null): boolean {
  return bytes !== null && parseTsPacket(bytes, 0).pid === TS_PAT_PID
}

describe('TS_FORMAT', () => {
  it('is read as it was written, in whole packets, without what MPEG-TS can not carry', () => {
    const muxer = TS_FORMAT.createMuxer()
    const av1 = trackOf('av1', 2)
    const start = muxer.start({ tracks: [VIDEO, AUDIO, av1], metadata: METADATA })
    const units = [0, 1, 2, 3].flatMap((index) => [unitOf(VIDEO, index, index === 0), unitOf(AUDIO, index)])
    const written = units.map((unit) => muxer.mux(unit)!)
    expect(muxer.mux(unitOf(av1, 0))).to.equal(null)
    for (const bytes of [start, ...written]) expect(bytes.length % TS_PACKET_SIZE_BYTES).to.equal(0)
    const { tracks, units: read } = demuxTs([start, ...written])
    expect(tracks.map(({ codec }) => codec)).to.eql(['h264', 'aac'])
    expect(read).to.have.length(units.length)
  })

  it('has its tables before each keyframe, after a change, and twice a second', () => {
    const muxer = TS_FORMAT.createMuxer()
    muxer.start({ tracks: [VIDEO], metadata: METADATA })
    const pictures = Array.from({ length: 40 }, (_, index) => muxer.mux(unitOf(VIDEO, index, index % 20 === 0)))
    const withTables = [...pictures.keys()].filter((index) => hasTables(pictures[index] ?? null))
    expect(withTables).to.eql([0, 13, 20, 33])
    muxer.start({ tracks: [VIDEO, AUDIO], metadata: METADATA })
    expect(muxer.configure(AUDIO, 1600)).to.equal(null)
    expect([40, 41].map((index) => hasTables(muxer.mux(unitOf(AUDIO, index))))).to.eql([true, false])
  })

  it('counts its packets on, to those that play and to those that begin in the middle', () => {
    const muxer = TS_FORMAT.createMuxer()
    const about = { tracks: [VIDEO, AUDIO], metadata: METADATA }
    const first = muxer.start(about)
    const before = muxer.mux(unitOf(VIDEO, 0))!
    const second = muxer.start(about)
    const after = [unitOf(AUDIO, 1), unitOf(VIDEO, 2)].map((unit) => muxer.mux(unit)!)
    expectCountedOn([first, before, ...after])
    expectCountedOn([second, ...after])
  })

  it('goes on for receivers that come from another stream, with other codecs in the places of its own', () => {
    const former = TS_FORMAT.createMuxer()
    const before = [former.start({ tracks: [VIDEO, AUDIO], metadata: METADATA })]
    for (const index of [0, 1, 2]) before.push(former.mux(unitOf(VIDEO, index, index === 0))!)
    const muxer = TS_FORMAT.createMuxer(former)
    const h265 = trackOf('h265', 0)
    muxer.start({ tracks: [h265, AUDIO], metadata: METADATA })
    const after = [unitOf(h265, 3), unitOf(AUDIO, 3)].map((unit) => muxer.mux(unit)!)
    expectCountedOn([...before, ...after])
    const { units } = demuxTs([...before, ...after])
    expect(units.map(({ track }) => track.codec)).to.eql(['h264', 'h264', 'h264', 'h265', 'aac'])
  })

  it('goes on behind what another muxer has made, with packets between that let the counters begin anew', () => {
    const tracks = [VIDEO, AUDIO]
    const madeOf = (first: number) => {
      const muxer = TS_FORMAT.createMuxer()
      const head = muxer.start({ tracks, metadata: METADATA })
      return [head, ...[0, 1, 2].flatMap((index) => tracks.map((track) => muxer.mux(unitOf(track, first + index))!))]
    }
    const errorsOf = (pieces: readonly Buffer[]) => {
      const demuxer = new TsDemuxer(new RecordingSink())
      for (const piece of pieces) demuxer.push(piece)
      return demuxer.continuityErrors
    }
    expect(errorsOf([...madeOf(0), ...madeOf(3)])).to.be.above(0)
    const whole = [...madeOf(0), serializeTsRestart(tracks.length), ...madeOf(3)]
    expect(errorsOf(whole)).to.equal(0)
    expect(demuxTs(whole).units).to.have.length(12)
  })

  it('has decoding times and a clock that never run back for receivers that come from another stream', () => {
    const former = TS_FORMAT.createMuxer()
    const about = { tracks: [VIDEO, AUDIO], metadata: METADATA }
    // The sound has set the clock, as the pictures were late.
    const seen = [former.start(about), ...[unitOf(VIDEO, 5), unitOf(AUDIO, 9)].map((unit) => former.mux(unit)!)]
    const muxer = TS_FORMAT.createMuxer(former)
    muxer.start(about)
    const dts = 7 * FRAME_TICKS
    // Shown two pictures before it is decoded: decoding is put earlier.
    seen.push(muxer.mux(AccessUnit.fromData(VIDEO, dts, dts - 2 * FRAME_TICKS, true, sampleTrack('h264').keyframe))!)
    const pictures = demuxTs(seen).units.filter(({ track }) => track.kind === 'video')
    expect(pictures).to.have.length(2)
    expect(pictures[1]!.dts).to.be.above(pictures[0]!.dts)
    const clocks = clocksOf(Buffer.concat(seen))
    expect(clocks).to.have.length(3)
    expect(clocks).to.eql(clocks.toSorted((one, other) => one - other))
  })
})
