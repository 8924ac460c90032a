import { expect } from 'chai'
import { AccessUnit } from '../access-unit.ts'
import { MalformedError } from '../errors.ts'
import type { Track, TrackInit } from '../track.ts'
import { sampleTrack } from '../container/flv/fixtures/tracks.ts'
import { muxTs } from '../container/mpegts/fixtures/units.ts'
import { TS_PACKET_SIZE_BYTES } from '../container/mpegts/packet.ts'
import type { UnitSink } from '../unit-sink.ts'
import type { RtpFormat } from './format.ts'
import { serializeRtpPacket, type RtpPacket } from './packet.ts'
import type { RtpPayloadReader } from './payload-reader.ts'
import { RtpReceiver } from './receiver.ts'
import { RtpClock } from './rtp-clock.ts'

const PCMA: RtpFormat = { payloadType: 8, encodingName: 'PCMA', clockRate: 8000, channels: 1, parameters: new Map() }
const TICKS = 160

class Sink {
  readonly units: AccessUnit[] = []
  readonly tracks: Track[] = []
  lostCount = 0

  addTrack(init: TrackInit): Track {
    const track: Track = { ...init, id: this.tracks.length }
    this.tracks.push(track)
    return track
  }

  write(unit: AccessUnit): void {
    this.units.push(unit)
  }

  lost(): void {
    this.lostCount++
  }
}

function packet(number: number, fields: { readonly payloadType?: number; readonly ssrc?: number } = {}): Buffer {
  const head = { payloadType: 8, marker: false, ssrc: 1, csrcs: [], ...fields }
  const times = { sequenceNumber: number % 2 ** 16, timestamp: (number * TICKS) % 2 ** 32 }
  return serializeRtpPacket({ ...head, ...times, payload: Buffer.alloc(TICKS, number) })
}

function receive(format = PCMA) {
  const sink = new Sink()
  const init = { format, clock: new RtpClock(), reorder: { maxPackets: 3, maxDelayMs: 100 } }
  return { sink, receiver: new RtpReceiver({ ...init, sink: sink as unknown as UnitSink }) }
}

describe('RtpReceiver', () => {
  it('declares at once what the description tells, and puts packets in order', () => {
    const { sink, receiver } = receive()
    expect(sink.tracks.map(({ codec, timescale }) => [codec, timescale])).to.eql([['pcma', 8000]])
    expect(receiver.track).to.equal(sink.tracks[0])
    for (const number of [65_534, 65_536, 65_535, 65_536]) receiver.push(packet(number), 0)
    expect(sink.units.map(({ dts, pts, data }) => [dts, pts, data[0]])).to.eql([
      [0, 0, 254],
      [TICKS, TICKS, 255],
      [2 * TICKS, 2 * TICKS, 0],
    ])
    expect([sink.lostCount, receiver.counts.brokenPackets, receiver.ssrc]).to.eql([0, 0, 1])
    const { lostPackets, reorderedPackets, duplicatePackets } = receiver.statistics
    expect({ lostPackets, reorderedPackets, duplicatePackets }).to.eql({
      lostPackets: 0,
      reorderedPackets: 1,
      duplicatePackets: 1,
    })
  })

  it('goes on without what does not come in time, and tells that it is lost', () => {
    const { sink, receiver } = receive()
    receiver.push(packet(1), 0)
    receiver.push(packet(3), 10)
    receiver.tick(109)
    expect(sink.units).to.have.length(1)
    receiver.tick(110)
    expect(sink.units.map(({ pts }) => pts)).to.eql([0, 2 * TICKS])
    expect(sink.lostCount).to.equal(1)
  })

  it('counts what is no packet of its format, and leaves it out', () => {
    const { sink, receiver } = receive()
    receiver.push(Buffer.alloc(0), 0)
    receiver.push(Buffer.alloc(12), 0)
    receiver.push(packet(1, { payloadType: 0 }), 0)
    receiver.push(packet(1), 0)
    expect([sink.units.length, receiver.counts.brokenPackets]).to.eql([1, 3])
  })

  it('goes on with a source that has begun anew under another name', () => {
    const { sink, receiver } = receive()
    receiver.push(packet(1), 0)
    receiver.push(packet(40_000, { ssrc: 2 }), 20)
    receiver.push(packet(40_001, { ssrc: 2 }), 40)
    expect(receiver.ssrc).to.equal(2)
    expect([sink.tracks.length, sink.units.length, sink.lostCount]).to.eql([1, 3, 1])
    expect(sink.units[2]!.pts - sink.units[1]!.pts).to.equal(TICKS)
  })

  it('gives units the wall clock of sender reports', () => {
    const { sink, receiver } = receive()
    const report = { kind: 'senderReport', ssrc: 1, packetCount: 0, octetCount: 0, reports: [] } as const
    receiver.report({ ...report, ntpMs: 1_700_000_000_000, rtpTimestamp: TICKS }, 0)
    receiver.push(packet(2), 0)
    expect(sink.units[0]!.ntpMs).to.equal(1_700_000_000_020)
  })

  it('takes MPEG-2 TS, with the track and the times that it has itself', () => {
    const sample = sampleTrack('h264')
    const track: Track = { ...sample.init, timescale: 90_000, id: 0 }
    const times = Array.from({ length: 10 }, (_, index) => index * 3600)
    const units = times.map((dts) => AccessUnit.fromData(track, dts, dts, true, sample.keyframe))
    const bytes = muxTs([track], units)
    const format = { payloadType: 33, encodingName: 'MP2T', clockRate: 90_000, channels: 1, parameters: new Map() }
    const { sink, receiver } = receive(format)
    const sizeBytes = 7 * TS_PACKET_SIZE_BYTES
    for (let number = 0; number * sizeBytes < bytes.length; number += 1) {
      const payload = bytes.subarray(number * sizeBytes, (number + 1) * sizeBytes)
      const head = { payloadType: 33, marker: false, ssrc: 1, csrcs: [] }
      receiver.push(serializeRtpPacket({ ...head, sequenceNumber: number, timestamp: number, payload }), 0)
    }
    expect(sink.tracks.map(({ codec }) => codec)).to.eql(['h264'])
    expect(sink.units.map(({ dts }) => dts - sink.units[0]!.dts)).to.eql(times)
    expect(receiver.counts.brokenPackets).to.equal(0)
  })

  it('hands packets to a reader of its own, for formats that it does not know', () => {
    const told: unknown[] = []
    const reader: RtpPayloadReader = {
      track: undefined,
      take({ sequenceNumber, payload }: RtpPacket, follows, nowMs) {
        told.push(`${sequenceNumber}${follows ? '' : ' behind a gap'} at ${nowMs}`)
        if (payload[0] === 7) throw new MalformedError('no PS')
      },
      lost: () => void told.push('lost'),
      report: ({ ntpMs }) => void told.push(ntpMs),
    }
    const format = { ...PCMA, payloadType: 96, encodingName: 'PS', clockRate: 90_000 }
    const receiver = new RtpReceiver({ format, reader, reorder: { maxPackets: 3, maxDelayMs: 100 } })
    const ps = { payloadType: 96 }
    for (const [number, nowMs] of [
      [5, 0],
      [7, 10],
      [6, 20],
      [9, 30],
    ] as const)
      receiver.push(packet(number, ps), nowMs)
    receiver.tick(130)
    receiver.report(
      { kind: 'senderReport', ssrc: 1, ntpMs: 17e11, rtpTimestamp: 0, packetCount: 0, octetCount: 0, reports: [] },
      0,
    )
    expect(told).to.eql(['5 behind a gap at 0', '6 at 20', '7 at 20', 'lost', 'lost', '9 behind a gap at 130', 17e11])
    expect(receiver.track).to.equal(undefined)
    expect(receiver.counts).to.eql({
      receivedPackets: 4,
      lostPackets: 1,
      reorderedPackets: 1,
      duplicatePackets: 0,
      brokenPackets: 1,
    })
  })
})
