import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { AccessUnit } from '../../access-unit.ts'
import { serializeAdtsHeader } from '../../codec/aac/adts.ts'
import { parseAc3SyncFrame } from '../../codec/ac3/sync-frame.ts'
import { parseMp3FrameHeader } from '../../codec/mp3/frame-header.ts'
import { MalformedError } from '../../errors.ts'
import type { Track } from '../../track.ts'
import { RecordingSink } from '../flv/fixtures/recording-sink.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { TsDemuxer } from './demuxer.ts'
import { demuxTs } from './fixtures/units.ts'
import { TsMuxer } from './muxer.ts'
import { TS_MAX_SKIPPED_BYTES } from './packet-reader.ts'
import { TS_PACKET_SIZE_BYTES, tsPacketCount, writeTsPackets } from './packet.ts'
import { PES_STREAM_ID, serializePesHeader } from '../pes/header.ts'
import { TS_MAX_TRACKS, TS_MAX_VIDEO_TRACKS } from './program-streams.ts'
import { serializePat, serializePmt } from './program-tables.ts'
import type { TsStreamEntry } from './program-tables.ts'
import { serializeTsSection } from './section.ts'

const PID = 0x100
const AAC: TsStreamEntry = { streamType: 0x0f, pid: PID, descriptors: [] }
const H264: TsStreamEntry = { streamType: 0x1b, pid: PID, descriptors: [] }
const AC3: TsStreamEntry = { streamType: 0x81, pid: PID, descriptors: [] }
const MP3: TsStreamEntry = { streamType: 0x03, pid: PID, descriptors: [] }
const EAC3: TsStreamEntry = { streamType: 0x87, pid: PID, descriptors: [] }

const FORMAT = { objectType: 2, sampleRate: 48_000, channelConfiguration: 2 }
const NO_PTS = { streamId: PES_STREAM_ID.audio, timed: false }

function adts(fill: number, sizeBytes = 100): Buffer {
  return Buffer.concat([serializeAdtsHeader(FORMAT, sizeBytes), Buffer.alloc(sizeBytes, fill)])
}

type PesOptions = { readonly pid?: number; readonly streamId?: number; readonly timed?: boolean }

/** Writes streams as odd senders do. */
class OddSender {
  readonly sink = new RecordingSink()
  readonly demuxer = new TsDemuxer(this.sink)
  readonly #counters = new Map<number, number>()
  #version = 0

  map(streams: readonly TsStreamEntry[]): void {
    const body = serializePat([{ programNumber: 1, pid: 0x1000 }])
    const common = { tableIdExtension: 1, current: true }
    this.send(0, [Buffer.of(0), serializeTsSection({ ...common, tableId: 0, version: 0, body })])
    const map = serializePmt({ pcrPid: PID, descriptors: [], streams })
    const version = this.#version++ % 32
    this.send(0x1000, [Buffer.of(0), serializeTsSection({ ...common, tableId: 2, version, body: map })])
  }

  pes(data: Buffer, pts: number, options: PesOptions = {}): void {
    const { pid = PID, streamId = PES_STREAM_ID.audio, timed = true } = options
    const header = timed ? serializePesHeader(streamId, pts, pts, data.length) : untimedHeader(streamId)
    this.send(pid, [header, data])
  }

  /** `lost` packets are counted and not sent; `missed` is called instead of the last of them. */
  send(pid: number, pieces: readonly Buffer[], lost: readonly number[] = [], missed?: () => void): void {
    const continuityCounter = this.#counters.get(pid) ?? 0
    const bytes = tsPackets({ pid, continuityCounter }, pieces)
    const count = bytes.length / TS_PACKET_SIZE_BYTES
    this.#counters.set(pid, (continuityCounter + count) % 16)
    for (let index = 0; index < count; index++) {
      const offset = index * TS_PACKET_SIZE_BYTES
      if (!lost.includes(index)) this.demuxer.push(bytes.subarray(offset, offset + TS_PACKET_SIZE_BYTES))
      else if (index === lost.at(-1)) missed?.()
    }
  }

  get times(): number[] {
    return this.sink.units.map(({ dts }) => dts)
  }
}

function untimedHeader(streamId: number): Buffer {
  return Buffer.from([0, 0, 1, streamId, 0, 0, 0x80, 0, 0])
}

function annexB(...nalus: readonly string[]): Buffer {
  return Buffer.from(nalus.map((nalu) => `00000001${nalu}`).join(''), 'hex')
}

const SPS = '6764000acd9447b011000000300100000303 20f1225960'.replace(' ', '')
const PPS = '68ef8fcb'
const VIDEO = { streamId: PES_STREAM_ID.video }

type PacketTerms = { readonly pid: number; readonly continuityCounter?: number; readonly randomAccess?: boolean }

/** A unit as packets of MPEG-TS. */
function tsPackets(terms: PacketTerms, pieces: readonly Buffer[]): Buffer {
  const unit = { continuityCounter: 0, randomAccess: false, ...terms }
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const bytes = Buffer.alloc(tsPacketCount(unit, sizeBytes) * TS_PACKET_SIZE_BYTES)
  writeTsPackets(bytes, 0, unit, pieces, sizeBytes)
  return bytes
}

/** Packets of `PID` with another counter and these flags in the adaptation field of the first. */
function packetsWith(flags: number, pieces: readonly Buffer[]): Buffer {
  const bytes = tsPackets({ pid: PID, continuityCounter: 9, randomAccess: true }, pieces)
  bytes[5] = flags
  return bytes
}

/** The samples are starts of frames; zeros make up the rest. */
function wholeFrame(codec: 'ac3' | 'eac3' | 'mp3'): Buffer {
  const { keyframe } = sampleTrack(codec)
  const { sizeBytes } = codec === 'mp3' ? parseMp3FrameHeader(keyframe) : parseAc3SyncFrame(keyframe)
  return Buffer.concat([keyframe, Buffer.alloc(sizeBytes - keyframe.length)])
}

function sampleStream(): { tracks: Track[]; bytes: Buffer } {
  const tracks = (['h264', 'aac', 'ac3'] as const).map((codec, id) => ({
    ...sampleTrack(codec).init,
    timescale: 90_000,
    id,
  }))
  const muxer = new TsMuxer()
  const parts = [muxer.start(tracks)]
  for (let index = 0; index < 5; index++) {
    for (const track of tracks) {
      const { keyframe, frame } = sampleTrack(track.codec)
      const data = track.codec === 'ac3' ? wholeFrame('ac3') : index === 0 ? keyframe : frame
      parts.push(muxer.mux(AccessUnit.fromData(track, index * 3600, index * 3600, index === 0, data)))
    }
  }
  return { tracks, bytes: Buffer.concat(parts) }
}

describe('TsDemuxer', () => {
  const { tracks, bytes: stream } = sampleStream()

  it('reads the same however the bytes come in, and leaves them as they were', () => {
    const whole = demuxTs([stream])
    expect(whole.tracks.map(({ codec }) => codec)).to.deep.equal(tracks.map(({ codec }) => codec))
    expect(whole.units).to.have.length(15)
    const before = Buffer.from(stream)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), (size) => {
        const parts: Buffer[] = []
        for (let offset = 0; offset < stream.length; offset += size) parts.push(stream.subarray(offset, offset + size))
        expect(demuxTs(parts).units).to.deep.equal(whole.units)
      }),
      { numRuns: rounds(30) },
    )
    expect(stream).to.deep.equal(before)
  })

  it('finds packets again after other bytes', () => {
    const sink = new RecordingSink()
    const demuxer = new TsDemuxer(sink)
    demuxer.push(Buffer.concat([Buffer.from('junk with a G in it'), stream]))
    demuxer.push(Buffer.concat([Buffer.alloc(300, 0x47), stream]))
    expect(sink.units.length).to.be.at.least(15)
    expect(demuxer.skippedBytes).to.be.at.least(19)
  })

  it('gives up on what has no packets for long', () => {
    const demuxer = new TsDemuxer(new RecordingSink())
    const junk = Buffer.alloc(TS_MAX_SKIPPED_BYTES / 2, 1)
    demuxer.push(junk)
    demuxer.push(junk)
    expect(() => demuxer.push(junk)).to.throw(MalformedError)
  })

  it('drops a unit that a packet is missing from, and counts', () => {
    const sender = new OddSender()
    sender.map([AAC])
    const frame = (fill: number) => [serializePesHeader(PES_STREAM_ID.audio, fill, fill, 507), adts(fill, 500)]
    sender.send(PID, frame(1))
    sender.send(PID, frame(2), [1])
    sender.send(PID, frame(3))
    expect(sender.sink.units.map(({ data }) => data[0])).to.deep.equal([1, 3])
    expect(sender.demuxer).to.include({ continuityErrors: 1, dropped: 1 })
    expect(sender.sink.lostUnits).to.equal(1)
  })

  it('does not join the start of a frame with what comes after a loss', () => {
    const sender = new OddSender()
    sender.map([AAC])
    sender.pes(Buffer.concat([adts(1), adts(2).subarray(0, 50)]), 9000)
    sender.send(PID, [serializePesHeader(PES_STREAM_ID.audio, 0, 0, 100), adts(3)], [0])
    sender.pes(Buffer.concat([adts(4), adts(5)]), 18_000)
    expect(sender.sink.units.map(({ data }) => data[0])).to.deep.equal([1, 4, 5])
    expect(sender.times.slice(1)).to.deep.equal([18_000, 19_920])
  })

  it('drops what has begun where so many packets are missing that the counters can not show it', () => {
    const missing = Array.from({ length: 16 }, (_, index) => 100 + index)
    const sender = new OddSender()
    sender.map([H264, { ...AAC, pid: PID + 1 }])
    // So large a picture states no size.
    const picture = [
      serializePesHeader(PES_STREAM_ID.video, 0, 0, 70_000),
      annexB(SPS, PPS, `65${'55'.repeat(70_000)}`),
    ]
    const send = (lost: readonly number[], told: number) => {
      sender.send(PID, picture, lost, () => sender.demuxer.lost(told))
      sender.send(PID, picture)
      sender.demuxer.flush()
      return { pictures: sender.sink.units.splice(0).length, dropped: sender.demuxer.dropped }
    }
    expect(send([], 0)).to.eql({ pictures: 2, dropped: 0 })
    expect(send(missing, 21)).to.eql({ pictures: 1, dropped: 1 })
    expect(send(missing.slice(1), 15)).to.eql({ pictures: 1, dropped: 2 })
    expect(send(missing.slice(2), 14)).to.eql({ pictures: 1, dropped: 3 })
    expect(sender.demuxer.continuityErrors).to.equal(3)
    expect(sender.sink.lostUnits).to.equal(3)
    sender.pes(adts(1), 0, { pid: PID + 1 })
    expect(sender.sink.units).to.have.length(1)
  })

  it('makes no packet of the parts of two, where bytes are missing between them', () => {
    const sender = new OddSender()
    sender.map([H264, { ...AAC, pid: PID + 1 }])
    const slice = annexB(SPS, PPS, `65${'55'.repeat(70_000)}`)
    const picture = tsPackets({ pid: PID }, [serializePesHeader(PES_STREAM_ID.video, 0, 0, 70_000), slice])
    const sound = tsPackets({ pid: PID + 1 }, [serializePesHeader(PES_STREAM_ID.audio, 0, 0, 507), adts(1, 500)])
    const end = 50 * TS_PACKET_SIZE_BYTES
    sender.demuxer.push(picture.subarray(0, end + 100))
    sender.demuxer.lost(3)
    sender.demuxer.push(sound.subarray(-150))
    sender.demuxer.push(picture.subarray(end + TS_PACKET_SIZE_BYTES))
    sender.demuxer.flush()
    expect(sender.sink.units).to.eql([])
    expect(sender.demuxer).to.include({ continuityErrors: 1, dropped: 1 })
  })

  it('lets a counter break off where the stream says so', () => {
    const sender = new OddSender()
    sender.map([AAC])
    sender.pes(adts(1), 0)
    const packets = packetsWith(0x80, [serializePesHeader(PES_STREAM_ID.audio, 1920, 1920, 107), adts(2)])
    sender.demuxer.push(packets)
    expect(sender.times).to.deep.equal([0, 1920])
    expect(sender.demuxer.continuityErrors).to.equal(0)
  })

  it('takes a packet that comes twice once', () => {
    const sink = new RecordingSink()
    const demuxer = new TsDemuxer(sink)
    for (let offset = 0; offset < stream.length; offset += TS_PACKET_SIZE_BYTES) {
      const packet = stream.subarray(offset, offset + TS_PACKET_SIZE_BYTES)
      demuxer.push(packet)
      demuxer.push(packet)
    }
    demuxer.flush()
    expect(sink.units).to.deep.equal(demuxTs([stream]).units)
    expect(demuxer.continuityErrors).to.equal(0)
  })

  it('steps over packets with errors, and over what is scrambled', () => {
    const sender = new OddSender()
    sender.map([AAC])
    const packet = Buffer.alloc(TS_PACKET_SIZE_BYTES, 0xff)
    packet.writeUInt32BE(0x4781_0011)
    sender.demuxer.push(packet)
    packet.writeUInt32BE(0x4741_0091)
    sender.demuxer.push(packet)
    expect([...sender.demuxer.unsupported]).to.deep.equal(['scrambled'])
    expect(sender.demuxer.dropped).to.equal(0)
  })

  it('gives each frame of a PES packet its time, also when frames go on in the next', () => {
    const sender = new OddSender()
    sender.map([AAC])
    const frames = [1, 2, 3, 4].map((fill) => adts(fill))
    const bytes = Buffer.concat(frames)
    sender.pes(bytes.subarray(0, 250), 9000)
    sender.pes(bytes.subarray(250), 9000 + 3 * 1920)
    sender.pes(adts(5), 0, NO_PTS)
    sender.demuxer.flush()
    expect(sender.times).to.deep.equal([9000, 10_920, 12_840, 14_760, 16_680])
    expect(sender.sink.units.map(({ data }) => data)).to.deep.equal(
      [1, 2, 3, 4, 5].map((fill) => Buffer.alloc(100, fill)),
    )
  })

  it('lets times wrap within a PES packet', () => {
    const sender = new OddSender()
    sender.map([AAC])
    sender.pes(Buffer.concat([adts(1), adts(2)]), 2 ** 33 - 920)
    expect(sender.times).to.deep.equal([2 ** 33 - 920, 1000])
  })

  it('finds the first frame of a stream that it joins within one', () => {
    const sender = new OddSender()
    sender.map([AAC])
    sender.pes(Buffer.concat([Buffer.from('fff1fffff000', 'hex'), adts(1), adts(2)]), 9000)
    expect(sender.times).to.deep.equal([9000, 10_920])
    expect(sender.demuxer.dropped).to.equal(1)
  })

  it('bounds the search for a frame', () => {
    const sender = new OddSender()
    sender.map([AAC])
    sender.pes(Buffer.concat([Buffer.alloc(1000, 0xff), adts(1)]), 9000)
    sender.pes(adts(2), 18_000)
    expect(sender.times).to.deep.equal([18_000])
  })

  it('follows a change of the audio format', () => {
    const sender = new OddSender()
    sender.map([AAC])
    const mono = { ...FORMAT, channelConfiguration: 1 }
    sender.pes(adts(1), 0)
    sender.pes(Buffer.concat([serializeAdtsHeader(mono, 10), Buffer.alloc(10, 2)]), 1920)
    expect(sender.sink).to.include({ configured: 1 })
    expect(sender.sink.tracks[0]?.config).to.include({ channels: 1 })
    expect(sender.times).to.deep.equal([0, 1920])
  })

  it('reads MPEG audio and AC-3 whole, and joins E-AC-3 with what depends on it', () => {
    const ac3 = wholeFrame('ac3')
    const sender = new OddSender()
    sender.map([AC3])
    sender.pes(Buffer.concat([ac3, ac3]), 0)
    expect(sender.sink.units.map(({ data }) => data.length)).to.deep.equal([ac3.length, ac3.length])

    const mp3 = wholeFrame('mp3')
    const other = new OddSender()
    other.map([MP3])
    other.pes(Buffer.concat([mp3, mp3]), 0)
    expect(other.sink.tracks[0]?.codec).to.equal('mp3')

    const independent = wholeFrame('eac3')
    const dependent = Buffer.from(independent)
    dependent[2]! |= 0x40
    const third = new OddSender()
    third.map([EAC3])
    third.pes(Buffer.concat([independent, dependent, independent]), 0)
    third.pes(dependent, 9000)
    expect(third.sink.units.map(({ data }) => data.length)).to.deep.equal([2 * independent.length, independent.length])
    expect(third.demuxer.dropped).to.equal(1)
  })

  it('declares video by its parameter sets, which units come without', () => {
    const sender = new OddSender()
    sender.map([H264])
    sender.pes(annexB('09f0', '419a02'), 0, VIDEO)
    sender.pes(annexB('09f0', SPS, PPS, '0605', '658801', '0c80'), 3600, VIDEO)
    sender.pes(annexB('09f0', PPS, '419a02'), 7200, VIDEO)
    sender.pes(annexB(SPS, PPS, '658802'), 10_800, VIDEO)
    const nalus = sender.sink.units.map((unit) => unit.nalus.map((nalu) => nalu.toString('hex')))
    expect(nalus).to.deep.equal([['0605', '658801'], ['419a02'], ['658802']])
    expect(sender.sink.units.map(({ keyframe }) => keyframe)).to.deep.equal([true, false, true])
    expect(sender.sink).to.include({ configured: 0 })
    expect(sender.demuxer.dropped).to.equal(1)
  })

  it('keeps a parameter set that changes between keyframes, and configures at the next', () => {
    const sender = new OddSender()
    sender.map([H264])
    sender.pes(annexB(SPS, PPS, '68420a'), 0, VIDEO)
    sender.pes(annexB('658801'), 3600, VIDEO)
    sender.pes(annexB('68ef0f', '419a02'), 7200, VIDEO)
    expect(sender.sink.configured).to.equal(0)
    expect(sender.sink.units[1]?.nalus).to.have.length(2)
    sender.pes(annexB('658801'), 10_800, VIDEO)
    expect(sender.sink.configured).to.equal(1)
    const { record } = sender.sink.tracks[0]!.config
    expect(record.includes(Buffer.from('68420a', 'hex'))).to.equal(true)
    expect(record.includes(Buffer.from('68ef0f', 'hex'))).to.equal(true)
    expect(record.includes(Buffer.from(PPS, 'hex'))).to.equal(false)
  })

  it('goes on at the same pace when a picture has no time', () => {
    const sender = new OddSender()
    sender.map([H264])
    for (const dts of [0, 3600]) sender.pes(annexB(SPS, PPS, '658801'), dts, VIDEO)
    sender.pes(annexB('419a02'), 0, { ...VIDEO, timed: false })
    sender.demuxer.flush()
    expect(sender.times).to.deep.equal([0, 3600, 7200])
  })

  it('gives a picture of unbounded size at the next, or by a flush', () => {
    const sender = new OddSender()
    sender.map([H264])
    const slice = `65${'55'.repeat(70_000)}`
    sender.pes(annexB(SPS, PPS, slice), 0, VIDEO)
    expect(sender.times).to.deep.equal([])
    sender.pes(annexB(SPS, PPS, slice), 3600, VIDEO)
    expect(sender.times).to.deep.equal([0])
    sender.demuxer.flush()
    expect(sender.times).to.deep.equal([0, 3600])
    expect(sender.sink.units[1]?.sizeBytes).to.equal(70_001)
  })

  it('drops audio that does not end', () => {
    const sender = new OddSender()
    sender.map([AAC])
    sender.pes(adts(1), 0)
    sender.pes(Buffer.alloc(140_000), 0, NO_PTS)
    sender.pes(adts(2), 9000)
    expect(sender.times).to.deep.equal([0, 9000])
    expect(sender.demuxer.dropped).to.equal(1)
  })

  it('follows the tables: streams that end, come, move and change their codec', () => {
    const sender = new OddSender()
    const other = { ...AAC, pid: 0x101 }
    sender.map([AAC])
    sender.pes(adts(1), 0)
    sender.map([other])
    sender.pes(adts(2), 1920, { pid: 0x101 })
    expect(sender.sink.tracks).to.have.length(1)
    sender.map([other, { ...AAC, descriptors: [{ tag: 10, data: Buffer.from('DEU\0') }] }, { ...AAC, pid: 0x102 }])
    sender.pes(adts(3), 1920)
    sender.pes(adts(4), 1920, { pid: 0x102 })
    expect(sender.sink.tracks.map(({ layer }) => layer)).to.deep.equal([undefined, '1', '2'])
    expect(sender.sink.tracks.map(({ language }) => language)).to.deep.equal([undefined, 'de', undefined])
    expect(sender.sink.removed).to.deep.equal([])
    sender.map([{ ...AC3, pid: 0x101 }])
    expect(sender.sink.removed).to.have.length(3)
  })

  it('does not mind a table in the middle of a picture', () => {
    const sender = new OddSender()
    sender.map([H264])
    const slice = `65${'55'.repeat(70_000)}`
    sender.pes(annexB(SPS, PPS, slice), 0, VIDEO)
    sender.map([H264, { ...AAC, pid: 0x101 }])
    expect(sender.times).to.deep.equal([])
    sender.demuxer.flush()
    expect(sender.sink.units[0]?.sizeBytes).to.equal(70_001)
  })

  it('leaves further streams and unknown ones aside', () => {
    const sender = new OddSender()
    const many = Array.from({ length: TS_MAX_TRACKS + 2 }, (_, index) => ({ ...AAC, pid: 0x200 + index }))
    const videos = Array.from({ length: TS_MAX_VIDEO_TRACKS + 1 }, (_, index) => ({ ...H264, pid: 0x300 + index }))
    sender.map([{ ...AAC, streamType: 0x11, pid: 0x99 }, ...videos, ...many])
    expect([...sender.demuxer.unsupported]).to.deep.equal(['stream type 0x11', 'further h264', 'further aac'])
    for (const { pid } of many) sender.pes(adts(1), 0, { pid })
    expect(sender.sink.tracks).to.have.length(TS_MAX_TRACKS - TS_MAX_VIDEO_TRACKS)
  })

  it('goes on after a flush wherever counters do', () => {
    const sink = new RecordingSink()
    const demuxer = new TsDemuxer(sink)
    for (const segment of [stream, stream]) {
      demuxer.push(segment)
      demuxer.flush()
    }
    expect(sink.units).to.have.length(30)
    expect(sink.tracks).to.have.length(3)
    expect(demuxer).to.include({ continuityErrors: 0, dropped: 0 })
  })

  it('takes any changes of a stream, and no more than it is given', () => {
    const change = fc.tuple(fc.nat(stream.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), fc.nat(400), (changes, cut) => {
        const bytes = Buffer.from(stream)
        for (const [at, byte] of changes) bytes[at] = byte
        const sink = new RecordingSink()
        const demuxer = new TsDemuxer(sink)
        demuxer.push(bytes.subarray(0, cut))
        demuxer.push(bytes.subarray(cut * 2))
        demuxer.flush()
        expect(sink.units.reduce((sum, unit) => sum + unit.sizeBytes, 0)).to.be.at.most(bytes.length)
      }),
      { numRuns: rounds(500) },
    )
  })

  it('takes any PES data of any codec', () => {
    const streams = [AAC, H264, AC3, MP3, EAC3, { ...AAC, streamType: 0x24 }, { ...AAC, streamType: 0x90 }]
    const opus = {
      ...AAC,
      streamType: 6,
      descriptors: [
        ['Opus', 5],
        ['\x80\x02', 0x7f],
      ].map(([text, tag]) => ({ tag: Number(tag), data: Buffer.from(String(text), 'latin1') })),
    }
    const data = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
    const starts = ['', '00000001', 'fff1', 'fffb', '0b77', '7fe0', `00000001${SPS}00000001${PPS}0000000165`]
    fc.assert(
      fc.property(
        fc.constantFrom(...streams, opus),
        fc.constantFrom(...starts),
        fc.array(data, { maxLength: 4 }),
        (entry, start, parts) => {
          const sender = new OddSender()
          sender.map([entry])
          for (const [index, part] of parts.entries())
            sender.pes(Buffer.concat([Buffer.from(start, 'hex'), part]), index * 3000)
          sender.demuxer.flush()
        },
      ),
      { numRuns: rounds(500) },
    )
  })
})
