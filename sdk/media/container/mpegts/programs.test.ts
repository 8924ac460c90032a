import { expect } from 'chai'
import { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { RecordingSink } from '../flv/fixtures/recording-sink.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { TS_MAX_PROGRAMS, TsDemuxer } from './demuxer.ts'
import { muxTs } from './fixtures/units.ts'
import { TS_PACKET_SIZE_BYTES, TS_PAT_PID, tsPacketCount, writeTsPackets } from './packet.ts'
import type { TsSinkChoice, TsStreamPlace } from './program-demuxer.ts'
import { serializePat, serializePmt, type TsStreamEntry } from './program-tables.ts'
import { serializeTsSection } from './section.ts'

const H264 = 0x1b
const AAC = 0x0f
const PICTURES = 5
const TICKS = 3600

/** An elementary stream as a program has it; `muxedPid` is that which a muxer has given it. */
type Stream = { readonly pid: number; readonly streamType: number }
type Program = { readonly programNumber: number; readonly pid: number; readonly streams: readonly Stream[] }

const HIGH = { pid: 0x201, streamType: H264 }
const LOW = { pid: 0x202, streamType: H264 }
const SOUND = { pid: 0x203, streamType: AAC }
/** One program for each rendition, with the sound that they share. */
const TWO_PROGRAMS: readonly Program[] = [
  { programNumber: 7, pid: 0x1007, streams: [HIGH, SOUND] },
  { programNumber: 9, pid: 0x1009, streams: [LOW, SOUND] },
]
const ONE_PROGRAM: readonly Program[] = [{ programNumber: 7, pid: 0x1007, streams: [HIGH, LOW, SOUND] }]

function section(pid: number, tableId: number, tableIdExtension: number, version: number, body: Buffer): Buffer {
  const table = serializeTsSection({ tableId, tableIdExtension, version, current: true, body })
  return packetsOf(pid, version, [Buffer.of(0), table])
}

function packetsOf(pid: number, continuityCounter: number, pieces: readonly Buffer[]): Buffer {
  const unit = { pid, continuityCounter, randomAccess: false }
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const bytes = Buffer.alloc(tsPacketCount(unit, sizeBytes) * TS_PACKET_SIZE_BYTES)
  writeTsPackets(bytes, 0, unit, pieces, sizeBytes)
  return bytes
}

function tables(programs: readonly Program[], version = 0): Buffer {
  const maps = programs.map(({ programNumber, pid, streams }) => {
    const entries = streams.map((stream): TsStreamEntry => ({ ...stream, descriptors: [] }))
    const body = serializePmt({ pcrPid: streams[0]!.pid, descriptors: [], streams: entries })
    return section(pid, 2, programNumber, version, body)
  })
  return Buffer.concat([section(TS_PAT_PID, 0, 1, version, serializePat(programs)), ...maps])
}

/** The packets of a stream, without tables: pictures or sound from `fromTicks` on. */
function media({ pid, streamType }: Stream, fromTicks = 0): Buffer {
  const sample = sampleTrack(streamType === H264 ? 'h264' : 'aac')
  const track: Track = { ...sample.init, timescale: 90_000, id: 0 }
  const units = Array.from({ length: PICTURES }, (_, index) => {
    const time = fromTicks + index * TICKS
    return AccessUnit.fromData(track, time, time, true, sample.keyframe)
  })
  const bytes = muxTs([track], units)
  const packets: Buffer[] = []
  for (let offset = 0; offset < bytes.length; offset += TS_PACKET_SIZE_BYTES) {
    const packet = bytes.subarray(offset, offset + TS_PACKET_SIZE_BYTES)
    const muxedPid = packet.readUInt16BE(1) & 0x1fff
    if (muxedPid === TS_PAT_PID || muxedPid === 0x1000) continue
    packet.writeUInt16BE((packet.readUInt16BE(1) & 0xe000) | pid, 1)
    packets.push(packet)
  }
  return Buffer.concat(packets)
}

/** Keeps apart what comes, by the names that `nameOf` gives places; undefined leaves a stream out. */
class Renditions {
  readonly places: TsStreamPlace[] = []
  readonly sinks = new Map<string, RecordingSink>()
  readonly demuxer: TsDemuxer

  constructor(nameOf: (place: TsStreamPlace) => string | undefined) {
    const choose: TsSinkChoice = (place) => {
      this.places.push(place)
      const name = nameOf(place)
      if (name === undefined) return undefined
      const sink = this.sinks.get(name) ?? new RecordingSink()
      this.sinks.set(name, sink)
      return sink
    }
    this.demuxer = new TsDemuxer(choose)
  }

  /** The tracks of each sink as `h264`, with the layer where there is one, and how many units came of all. */
  get seen(): Record<string, [tracks: string, units: number]> {
    const entries = [...this.sinks].map(([name, { tracks, units }]): [string, [string, number]] => [
      name,
      [tracks.map(({ codec, layer }) => [codec, layer].join(' ').trim()).join(', '), units.length],
    ])
    return Object.fromEntries(entries)
  }
}

const ALL = [HIGH, LOW, SOUND].map((stream) => media(stream))

const CASES: readonly {
  name: string
  programs: readonly Program[]
  nameOf: (place: TsStreamPlace) => string | undefined
  seen: Record<string, [tracks: string, units: number]>
}[] = [
  {
    name: 'each program into a stream of its own, with the sound that they share',
    programs: TWO_PROGRAMS,
    nameOf: ({ programNumber }) => `program ${programNumber}`,
    seen: { 'program 7': ['h264, aac', 10], 'program 9': ['h264, aac', 10] },
  },
  {
    name: 'the renditions of one program by their PIDs, each as a main track',
    programs: ONE_PROGRAM,
    nameOf: ({ pid }) => (pid === LOW.pid ? 'low' : 'high'),
    seen: { high: ['h264, aac', 10], low: ['h264', 5] },
  },
  {
    name: 'those of one sink as layers',
    programs: ONE_PROGRAM,
    nameOf: () => 'all',
    seen: { all: ['h264, h264 1, aac', 15] },
  },
  {
    name: 'nothing of streams that no sink was chosen for',
    programs: TWO_PROGRAMS,
    nameOf: ({ programNumber, kind }) => (programNumber === 9 && kind === 'audio' ? 'sound' : undefined),
    seen: { sound: ['aac', 5] },
  },
]

describe('TsDemuxer, of several programs', () => {
  for (const { name, programs, nameOf, seen } of CASES) {
    it(`takes ${name}`, () => {
      const renditions = new Renditions(nameOf)
      for (const bytes of [tables(programs), ...ALL]) renditions.demuxer.push(bytes)
      renditions.demuxer.flush()
      expect(renditions.seen).to.eql(seen)
      expect(renditions.demuxer).to.include({ dropped: 0, continuityErrors: 0 })
    })
  }

  it('tells the program, PID and kind of each stream once', () => {
    const renditions = new Renditions(() => 'all')
    for (const bytes of [tables(TWO_PROGRAMS), tables(TWO_PROGRAMS, 1), ...ALL]) renditions.demuxer.push(bytes)
    expect(renditions.places).to.eql([
      { programNumber: 7, pid: HIGH.pid, kind: 'video' },
      { programNumber: 7, pid: SOUND.pid, kind: 'audio' },
      { programNumber: 9, pid: LOW.pid, kind: 'video' },
      { programNumber: 9, pid: SOUND.pid, kind: 'audio' },
    ])
    expect(renditions.demuxer.streamCount).to.equal(4)
  })

  it('takes the first program alone for a sink', () => {
    const sink = new RecordingSink()
    const demuxer = new TsDemuxer(sink)
    for (const bytes of [tables(TWO_PROGRAMS), ...ALL]) demuxer.push(bytes)
    demuxer.flush()
    expect(sink.tracks.map(({ codec }) => codec)).to.eql(['h264', 'aac'])
    expect(sink.units).to.have.length(2 * PICTURES)
  })

  it('ends the tracks of a program that is no more, while the others go on', () => {
    const renditions = new Renditions(({ programNumber }) => String(programNumber))
    for (const bytes of [tables(TWO_PROGRAMS), ...ALL]) renditions.demuxer.push(bytes)
    renditions.demuxer.flush()
    const [, second] = TWO_PROGRAMS
    renditions.demuxer.push(tables([second!], 1))
    for (const stream of [HIGH, LOW]) renditions.demuxer.push(media(stream, PICTURES * TICKS))
    renditions.demuxer.flush()
    const removed = (name: string) => renditions.sinks.get(name)!.removed.map(({ codec }) => codec)
    expect([removed('7'), removed('9')]).to.eql([['h264', 'aac'], []])
    expect(renditions.seen).to.eql({ 7: ['h264, aac', 10], 9: ['h264, aac', 15] })
  })

  it('lets a stream that moves to another PID keep its sink', () => {
    const renditions = new Renditions(({ pid }) => (pid === LOW.pid ? 'low' : 'other'))
    renditions.demuxer.push(tables([{ ...ONE_PROGRAM[0]!, streams: [LOW] }]))
    renditions.demuxer.push(media(LOW))
    const moved = { ...LOW, pid: 0x300 }
    renditions.demuxer.push(tables([{ ...ONE_PROGRAM[0]!, streams: [moved] }], 1))
    renditions.demuxer.push(media(moved, PICTURES * TICKS))
    renditions.demuxer.flush()
    expect(renditions.seen).to.eql({ low: ['h264', 2 * PICTURES] })
  })

  it('reads no more programs than it has room for', () => {
    const many = Array.from({ length: TS_MAX_PROGRAMS + 2 }, (_, index) => ({
      programNumber: index + 1,
      pid: 0x1000 + index,
      streams: [{ ...HIGH, pid: 0x100 + index }],
    }))
    const renditions = new Renditions(() => 'all')
    renditions.demuxer.push(tables(many))
    expect(renditions.places).to.have.length(TS_MAX_PROGRAMS)
  })
})
