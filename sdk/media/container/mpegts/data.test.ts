import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { AccessUnit } from '../../access-unit.ts'
import { serializeAdtsHeader } from '../../codec/aac/adts.ts'
import type { DataTrack, Track } from '../../track.ts'
import { RecordingSink } from '../flv/fixtures/recording-sink.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { canCarryDataInTs, TS_SYNCHRONOUS_KLV, type TsDataCodec } from './data-entry.ts'
import { TsDemuxer } from './demuxer.ts'
import { spliceInsert, spliceTicksOf } from './fixtures/splice-info.ts'
import { demuxTs, muxTs } from './fixtures/units.ts'
import { TS_DATA_FORMAT, TS_FORMAT } from './format.ts'
import { TS_CLOCK_LEAD_TICKS, TsMuxer } from './muxer.ts'
import { parseTsPacket, TS_PACKET_SIZE_BYTES, tsPacketCount, writePcrPacket, writeTsPackets } from './packet.ts'
import { PES_STREAM_ID, serializePesHeader } from '../pes/header.ts'
import { TS_MAX_DATA_TRACKS } from './program-streams.ts'
import { parsePmt, serializePat, serializePmt, type TsDescriptor, type TsStreamEntry } from './program-tables.ts'
import { serializeSectionPackets } from './section-packets.ts'
import { parseTsSection, serializeTsSection } from './section.ts'
import { canCarryInTs } from './stream-entry.ts'

const FRAME_TICKS = 3600
const VIDEO: Track = { ...sampleTrack('h264').init, timescale: 90_000, id: 0 }
const KLV = dataTrack('klv', 1)
const SYNCHRONOUS_KLV = dataTrack('klv', 2, TS_SYNCHRONOUS_KLV)
const SPLICES = dataTrack('scte35', 3)
const METADATA = {}
const KLV_BYTES = Buffer.from('060e2b34020b01010e0103010100000003020801', 'hex')

function dataTrack(codec: DataTrack['codec'], id: number, record: Buffer = Buffer.alloc(0)): DataTrack {
  return { id, kind: 'data', codec, timescale: 90_000, config: { record, codecString: '' } }
}

function picture(ticks: number, keyframe = true): AccessUnit {
  const { keyframe: first, frame } = sampleTrack('h264')
  return AccessUnit.fromData(VIDEO, ticks, ticks, keyframe, keyframe ? first : frame)
}

function dataAt(track: Track, ticks: number, data: Buffer): AccessUnit {
  return AccessUnit.fromData(track, ticks, ticks, true, data)
}

function dataOf({ units }: RecordingSink): { codec: string; ticks: number; data: Buffer }[] {
  return units
    .filter(({ track }) => track.kind === 'data')
    .map(({ track, dts, data }) => ({ codec: track.codec, ticks: dts, data }))
}

function packetsOf(bytes: Buffer, pid: number): Buffer[] {
  const packets: Buffer[] = []
  for (let offset = 0; offset < bytes.length; offset += TS_PACKET_SIZE_BYTES) {
    if (parseTsPacket(bytes, offset).pid === pid) packets.push(bytes.subarray(offset, offset + TS_PACKET_SIZE_BYTES))
  }
  return packets
}

/** The first section of a PID, which fits one packet. */
function sectionOf(bytes: Buffer, pid: number): Buffer {
  const { payload } = parseTsPacket(packetsOf(bytes, pid)[0]!, 0)
  return payload.subarray(1, 4 + (payload.readUInt16BE(2) % 0x1000))
}

describe('data in MPEG-TS', () => {
  it('comes out as it went in, beside pictures', () => {
    const splice = spliceInsert(5 * 90_000)
    const long = spliceInsert(90_000, 5, 3000)
    const units = [
      picture(0),
      dataAt(KLV, 0, KLV_BYTES),
      dataAt(SYNCHRONOUS_KLV, 20, Buffer.alloc(1000, 7)),
      picture(FRAME_TICKS, false),
      dataAt(SPLICES, FRAME_TICKS, splice),
      dataAt(SPLICES, FRAME_TICKS, long),
      picture(2 * FRAME_TICKS, false),
      dataAt(SYNCHRONOUS_KLV, 2 * FRAME_TICKS, KLV_BYTES),
    ]
    const read = demuxTs([muxTs([VIDEO, KLV, SYNCHRONOUS_KLV, SPLICES], units)])
    expect(read.tracks.map(({ kind, codec, layer, config }) => [kind, codec, layer, config.record.length > 0])).to.eql([
      ['video', 'h264', undefined, true],
      ['data', 'klv', undefined, false],
      ['data', 'klv', '1', true],
      ['data', 'scte35', '2', false],
    ])
    expect(read.tracks[2]!.config.record).to.deep.equal(TS_SYNCHRONOUS_KLV)
    const lead = TS_CLOCK_LEAD_TICKS
    const found = dataOf(read)
    expect(found.map(({ codec, ticks, data }) => [codec, ticks - lead, data.length])).to.have.deep.members([
      ['klv', 0, KLV_BYTES.length],
      ['klv', 20, 1000],
      ['klv', 2 * FRAME_TICKS, KLV_BYTES.length],
      // A section has the time of the last picture before it.
      ['scte35', FRAME_TICKS, splice.length],
      ['scte35', FRAME_TICKS, long.length],
    ])
    expect(found.filter(({ codec }) => codec === 'klv').map(({ data }) => data)).to.deep.include(KLV_BYTES)
  })

  it('has a splice at the same picture, whatever the clock is', () => {
    const inTicks = 2 ** 33 - 50_000
    const splice = spliceInsert(inTicks + 90_000 - 2 ** 33)
    const sender = new DataSender([spliceEntry(0x101)], CUEI)
    sender.pes(0x100, PES_STREAM_ID.audio, inTicks, adtsFrame())
    sender.section(0x101, splice)
    const [unit] = dataOf(sender.sink)
    expect(unit!.ticks).to.equal(inTicks)
    expect(spliceTicksOf(unit!.data)).to.equal(90_000)
    const outTicks = 45_000
    const bytes = muxTs([VIDEO, SPLICES], [picture(outTicks), dataAt(SPLICES, outTicks, unit!.data)])
    expect(spliceTicksOf(sectionOf(bytes, 0x101))).to.equal(outTicks + TS_CLOCK_LEAD_TICKS + 90_000)
  })

  it('is announced by what receivers look for', () => {
    const muxer = new TsMuxer()
    const tables = muxer.start([VIDEO, KLV, SYNCHRONOUS_KLV, SPLICES])
    const map = parsePmt(parseTsSection(sectionOf(tables, 0x1000)))
    const text = ({ tag, data }: TsDescriptor) => `${tag.toString(16)} ${data.toString('latin1')}`
    expect(map.descriptors.map(text)).to.eql(['5 CUEI'])
    expect(map.pcrPid).to.equal(0x100)
    expect(map.streams.map(({ streamType }) => streamType)).to.eql([0x1b, 0x06, 0x15, 0x86])
    expect(map.streams[1]!.descriptors.map(text)).to.eql(['5 KLVA'])
    expect(map.streams[2]!.descriptors.map(({ tag }) => tag)).to.eql([0x05, 0x26, 0x27])
    const plain = parsePmt(parseTsSection(sectionOf(new TsMuxer().start([VIDEO, KLV]), 0x1000)))
    expect(plain.descriptors).to.eql([])
  })

  it('sets no clock: it may come late, early or never', () => {
    const units = [picture(0), dataAt(KLV, 900_000, KLV_BYTES), picture(FRAME_TICKS, false)]
    const bytes = muxTs([KLV, VIDEO], units)
    const clocks: (number | undefined)[] = []
    for (let offset = 0; offset < bytes.length; offset += TS_PACKET_SIZE_BYTES) {
      clocks.push(parseTsPacket(bytes, offset).pcr)
    }
    expect(clocks.filter((clock) => clock !== undefined)).to.eql([0, FRAME_TICKS])
  })

  it('is told from other data and from media', () => {
    for (const track of [KLV, SPLICES]) {
      expect(canCarryInTs(track)).to.equal(false)
      expect(canCarryDataInTs(track)).to.equal(true)
    }
    expect(canCarryDataInTs(dataTrack('json', 1))).to.equal(false)
    expect(() => new TsMuxer().start([dataTrack('json', 1)])).to.throw(RangeError)
  })
})

describe('TS_DATA_FORMAT', () => {
  it('takes the data that TS_FORMAT leaves out', () => {
    const tracks = [VIDEO, KLV, SPLICES, dataTrack('json', 4)]
    expect([TS_FORMAT, TS_DATA_FORMAT].map(({ data }) => data)).to.eql([undefined, true])
    const codecsOf = (format: typeof TS_FORMAT) => {
      const muxer = format.createMuxer()
      const parts = [muxer.start({ tracks: tracks.filter((track) => format.carries!(track)), metadata: METADATA })]
      for (const unit of [picture(0), dataAt(KLV, 0, KLV_BYTES), dataAt(SPLICES, 0, spliceInsert(0))]) {
        parts.push(muxer.mux(unit) ?? Buffer.alloc(0))
      }
      return demuxTs(parts).units.map(({ track }) => track.codec)
    }
    expect(codecsOf(TS_FORMAT)).to.eql(['h264'])
    expect(codecsOf(TS_DATA_FORMAT)).to.have.members(['h264', 'klv', 'scte35'])
  })

  it('has its tables by the time of the pictures, whatever that of data is', () => {
    const muxer = TS_DATA_FORMAT.createMuxer()
    muxer.start({ tracks: [VIDEO, KLV], metadata: METADATA })
    const startsWithTables = (unit: AccessUnit) => parseTsPacket(muxer.mux(unit)!, 0).pid === 0
    expect(startsWithTables(picture(0))).to.equal(true)
    expect(startsWithTables(dataAt(KLV, 9_000_000, KLV_BYTES))).to.equal(false)
    expect(startsWithTables(picture(30_000, false))).to.equal(false)
    expect(startsWithTables(picture(45_000, false))).to.equal(true)
  })
})

const CUEI = [registration('CUEI')]

function registration(identifier: string): TsDescriptor {
  return { tag: 5, data: Buffer.from(identifier, 'latin1') }
}

function spliceEntry(pid: number): TsStreamEntry {
  return { streamType: 0x86, pid, descriptors: [] }
}

function klvEntry(pid: number, streamType = 0x06): TsStreamEntry {
  return { streamType, pid, descriptors: [registration('KLVA')] }
}

function adtsFrame(): Buffer {
  const format = { objectType: 2, sampleRate: 48_000, channelConfiguration: 2 }
  return Buffer.concat([serializeAdtsHeader(format, 10), Buffer.alloc(10)])
}

/** Sends a program of sound, unless told otherwise, and data. */
class DataSender {
  readonly sink = new RecordingSink()
  readonly demuxer = new TsDemuxer(this.sink)
  readonly #counters = new Map<number, number>()

  constructor(streams: readonly TsStreamEntry[], descriptors: readonly TsDescriptor[] = [], hasSound = true) {
    const common = { tableIdExtension: 1, current: true, version: 0 }
    const pat = serializePat([{ programNumber: 1, pid: 0x1000 }])
    this.section(0, serializeTsSection({ ...common, tableId: 0, body: pat }))
    const sound: TsStreamEntry[] = hasSound ? [{ streamType: 0x0f, pid: 0x100, descriptors: [] }] : []
    const map = serializePmt({ pcrPid: 0x100, descriptors, streams: [...streams, ...sound] })
    this.section(0x1000, serializeTsSection({ ...common, tableId: 2, body: map }))
  }

  section(pid: number, section: Buffer): void {
    this.#send(pid, serializeSectionPackets(pid, this.#counters.get(pid) ?? 0, section))
  }

  /** @param ticks undefined for a packet without a time */
  pes(pid: number, streamId: number, ticks: number | undefined, data: Buffer): void {
    const timed = serializePesHeader(streamId, ticks ?? 0, ticks ?? 0, data.length)
    const untimed = Buffer.from([0, 0, 1, streamId, 0, 3 + data.length, 0x80, 0, 0])
    const pieces = [ticks === undefined ? untimed : timed, data]
    const sizeBytes = pieces[0]!.length + data.length
    const unit = { pid, continuityCounter: this.#counters.get(pid) ?? 0, randomAccess: false }
    const bytes = Buffer.alloc(tsPacketCount(unit, sizeBytes) * TS_PACKET_SIZE_BYTES)
    writeTsPackets(bytes, 0, unit, pieces, sizeBytes)
    this.#send(pid, bytes)
  }

  clock(ticks: number): void {
    const bytes = Buffer.alloc(TS_PACKET_SIZE_BYTES)
    writePcrPacket(bytes, 0, { pid: 0x100, continuityCounter: 0, randomAccess: false, pcr: ticks })
    this.demuxer.push(bytes)
  }

  sound(ticks: number): void {
    this.pes(0x100, PES_STREAM_ID.audio, ticks, adtsFrame())
  }

  get found(): (readonly [codec: string, ticks: number])[] {
    return dataOf(this.sink).map(({ codec, ticks }) => [codec, ticks])
  }

  #send(pid: number, bytes: Buffer): void {
    this.#counters.set(pid, ((this.#counters.get(pid) ?? 0) + bytes.length / TS_PACKET_SIZE_BYTES) % 16)
    this.demuxer.push(bytes)
  }
}

describe('TsDemuxer, of data', () => {
  const { privateStream1, metadata } = PES_STREAM_ID

  it('declares tracks after the first of media, and gives what came before then', () => {
    const sender = new DataSender([klvEntry(0x101), spliceEntry(0x102)], CUEI)
    sender.pes(0x101, privateStream1, undefined, KLV_BYTES)
    sender.pes(0x101, privateStream1, 8000, KLV_BYTES)
    sender.section(0x102, spliceInsert(90_000))
    expect(sender.sink.tracks).to.eql([])
    expect(sender.demuxer.streamCount).to.equal(3)
    sender.sound(9000)
    expect(sender.sink.tracks.map(({ codec }) => codec)).to.eql(['aac', 'klv', 'scte35'])
    expect(sender.found).to.eql([
      ['klv', 9000],
      ['klv', 8000],
      ['scte35', 9000],
    ])
    expect(spliceTicksOf(dataOf(sender.sink)[2]!.data)).to.equal(81_000)
  })

  it('declares tracks at once where there is no media, and goes by the clock', () => {
    const sender = new DataSender([klvEntry(0x101), spliceEntry(0x102)], CUEI, false)
    expect(sender.sink.tracks.map(({ codec }) => codec)).to.eql(['klv', 'scte35'])
    sender.pes(0x101, privateStream1, undefined, KLV_BYTES)
    sender.clock(45_000)
    sender.section(0x102, spliceInsert(0))
    expect(sender.found).to.eql([
      ['klv', 45_000],
      ['scte35', 45_000],
    ])
  })

  it('waits for media again after a flush or a restart', () => {
    for (const jump of ['flush', 'restart'] as const) {
      const sender = new DataSender([spliceEntry(0x101)])
      sender.sound(9000)
      sender.demuxer[jump]()
      sender.section(0x101, spliceInsert(0))
      expect(sender.found).to.eql([])
      // A place that is looked for begins at a packet that is followed by another.
      sender.sound(500_000)
      sender.sound(502_000)
      expect(sender.found).to.eql([['scte35', 500_000]])
    }
  })

  it('holds back no more than a little', () => {
    const sender = new DataSender([klvEntry(0x101)])
    for (let index = 0; index < 1000; index++) sender.pes(0x101, privateStream1, undefined, KLV_BYTES)
    expect(sender.demuxer.dropped).to.equal(1000 - 64)
    sender.sound(0)
    expect(sender.found).to.have.length(64)
  })

  it('puts units together from cells', () => {
    const sender = new DataSender([klvEntry(0x101, 0x15)])
    sender.sound(0)
    const cell = (fragment: number, data: Buffer) =>
      Buffer.concat([Buffer.of(0, 0, fragment << 6, 0, data.length), data])
    const parts = [1, 2, 3, 4].map((fill) => Buffer.alloc(10, fill))
    const [one, two, three, four] = parts as [Buffer, Buffer, Buffer, Buffer]
    sender.pes(0x101, metadata, 100, Buffer.concat([cell(3, one), cell(2, two)]))
    sender.pes(0x101, metadata, 200, Buffer.concat([cell(0, three), cell(1, four), cell(3, one)]))
    sender.pes(0x101, metadata, 300, cell(1, four))
    sender.pes(0x101, metadata, 400, cell(3, one).subarray(0, 9))
    expect(dataOf(sender.sink).map(({ ticks, data }) => [ticks, data])).to.eql([
      [100, one],
      [100, Buffer.concat([two, three, four])],
      [200, one],
    ])
    expect(sender.demuxer.dropped).to.equal(2)
  })

  it('knows KLV by its metadata descriptor, and leaves other metadata and the sound of Blu-ray aside', () => {
    const of = (data: string) => ({ streamType: 0x15, descriptors: [{ tag: 0x26, data: Buffer.from(data, 'hex') }] })
    const known = [of('0100ff4b4c5641000f'), of('ffff49443320ff4b4c5641000f')]
    const others = [of('ffff49443320ff49443320000f'), of('01'), { streamType: 0x06, descriptors: [] }]
    const streams = [...known, ...others].map((entry, index) => ({ ...entry, pid: 0x200 + index }))
    const sender = new DataSender([...streams, spliceEntry(0x300)], [registration('HDMV')])
    sender.sound(0)
    expect(sender.sink.tracks.map(({ codec }) => codec)).to.eql(['aac', 'klv', 'klv'])
    expect([...sender.demuxer.unsupported]).to.eql(['stream type 0x15', 'stream type 0x06', 'stream type 0x86'])
  })

  it('drops sections that are broken, and goes on', () => {
    const sender = new DataSender([spliceEntry(0x101)])
    sender.sound(0)
    const broken = spliceInsert(0)
    broken[12]! ^= 1
    sender.section(0x101, broken)
    sender.section(0x101, spliceInsert(0))
    expect(sender.found).to.have.length(1)
    expect(sender.demuxer.dropped).to.equal(1)
  })

  it('reads some streams of data, and ends their tracks', () => {
    const many = Array.from({ length: TS_MAX_DATA_TRACKS + 1 }, (_, index) => klvEntry(0x200 + index))
    const sender = new DataSender(many)
    sender.sound(0)
    expect(sender.sink.tracks).to.have.length(TS_MAX_DATA_TRACKS + 1)
    expect([...sender.demuxer.unsupported]).to.eql(['further klv'])
    const none = serializePmt({ pcrPid: 0x100, descriptors: [], streams: [] })
    const map = { tableId: 2, tableIdExtension: 1, current: true, version: 1, body: none }
    sender.section(0x1000, serializeTsSection(map))
    expect(sender.sink.removed).to.have.length(TS_MAX_DATA_TRACKS + 1)
  })

  it('takes any data', () => {
    const kinds = fc.constantFrom<TsDataCodec | 'synchronous'>('klv', 'synchronous', 'scte35')
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((data) => Buffer.from(data))
    const parts = fc.array(fc.tuple(bytes, fc.constantFrom('', 'fc30', '0000c000', '00008000')), { maxLength: 5 })
    fc.assert(
      fc.property(kinds, parts, (kind, pieces) => {
        const entry = kind === 'scte35' ? spliceEntry(0x101) : klvEntry(0x101, kind === 'klv' ? 0x06 : 0x15)
        const sender = new DataSender([entry])
        sender.sound(0)
        for (const [data, start] of pieces) {
          const whole = Buffer.concat([Buffer.from(start, 'hex'), data])
          if (kind === 'scte35') sender.section(0x101, whole)
          else sender.pes(0x101, kind === 'klv' ? privateStream1 : metadata, 0, whole)
        }
        sender.demuxer.flush()
      }),
      { numRuns: rounds(500) },
    )
  })
})
