import { expect } from 'chai'
import type { AccessUnit, Track, UnitSink } from 'sluice/sdk'
import { parseRtcp, serializeRtpPacket, type RtcpPacket } from 'sluice/sdk/media'
import { ManualClock } from 'sluice/sdk/testing'
import { RtspIngest } from './to-stream.ts'

const VP8 = { payloadType: 96, encodingName: 'VP8', clockRate: 90_000, channels: 1, parameters: new Map() }
const SSRC = 5
const KEYFRAME = Buffer.from('101025009d012a40003000ffff', 'hex')
const PICTURE = Buffer.from('10b10100ffff', 'hex')

/** Takes what comes of a source in the time of a clock that is moved by hand. */
class Rig {
  readonly clock = new ManualClock(1000)
  readonly units: AccessUnit[] = []
  lostUnits = 0
  readonly said: { readonly atMs: number; readonly kinds: readonly RtcpPacket['kind'][] }[] = []
  readonly ingest: RtspIngest
  /** Timers do not run. */
  isHeldUp = false

  constructor(isDatagram: boolean) {
    const sink: UnitSink = {
      addTrack: (init): Track => ({ ...init, id: 3 }),
      configureTrack: (track) => track,
      removeTrack: () => {},
      write: (unit) => void this.units.push(unit),
      lost: (_, count) => void (this.lostUnits += count),
    }
    const { clock } = this
    const sendRtcp = (packet: Buffer) => {
      const kinds = parseRtcp(packet).map(({ kind }) => kind)
      this.said.push({ atMs: clock.now() - 1000, kinds })
    }
    const setInterval = (run: () => unknown, intervalMs: number) => {
      const timer = clock.setInterval(() => void (this.isHeldUp || run()), intervalMs)
      return () => clock.clear(timer)
    }
    this.ingest = new RtspIngest(sink, [undefined, { format: VP8, isDatagram, sendRtcp }], { setInterval }, clock.now)
  }

  /** A picture of one packet. */
  send(number: number, payload = PICTURE): void {
    const head = { payloadType: 96, marker: true, ssrc: SSRC, csrcs: [] }
    const packet = { ...head, sequenceNumber: number, timestamp: number * 3600, payload }
    this.ingest.rtp(1, serializeRtpPacket(packet))
  }

  /** Pictures each 100 ms, the first at once. */
  sendAll(numbers: readonly number[]): void {
    for (const number of numbers) {
      this.send(number)
      this.clock.advance(100)
    }
  }

  /** The times of requests for a keyframe. */
  get askedMs(): number[] {
    const asks = this.said.filter(({ kinds }) => kinds.join() === 'receiverReport,pictureLossIndication')
    return asks.map(({ atMs }) => atMs)
  }
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

describe('RtspIngest', () => {
  for (const isDatagram of [false, true]) {
    const kind = isDatagram ? 'datagrams' : 'a byte stream'

    it(`asks a source of ${kind} for a keyframe after a loss, again each second until one comes`, () => {
      const rig = new Rig(isDatagram)
      rig.send(0, KEYFRAME)
      rig.sendAll([1, 3, ...from(4, 20)])
      rig.send(24, KEYFRAME)
      rig.sendAll(from(25, 20))
      // What is missing is waited for among datagrams, 200 ms.
      expect(rig.askedMs).to.eql(isDatagram ? [300, 1300] : [100, 1100, 2100])
      expect(rig.lostUnits).to.equal(1)
    })

    it(`asks a source of ${kind} once for those who come at the same time`, () => {
      const rig = new Rig(isDatagram)
      rig.send(0, KEYFRAME)
      rig.ingest.requestKeyframe(0)
      for (const _ of [1, 2, 3]) rig.ingest.requestKeyframe(3)
      expect(rig.askedMs).to.eql([0])
      rig.send(1, KEYFRAME)
      rig.ingest.requestKeyframe(3)
      rig.sendAll(from(2, 11))
      expect(rig.askedMs).to.eql([0, 1000])
    })
  }

  it('reports what has come each 5 s, with its name', () => {
    const rig = new Rig(false)
    rig.clock.advance(5000)
    rig.send(0, KEYFRAME)
    rig.clock.advance(5000)
    const report = { kinds: ['receiverReport', 'sourceDescription'] }
    expect(rig.said).to.eql([
      { atMs: 5000, ...report },
      { atMs: 10_000, ...report },
    ])
    rig.ingest.close()
    rig.clock.advance(60_000)
    expect(rig.said).to.have.length(2)
  })

  it('gives up nothing that came while the process was held up', () => {
    const rig = new Rig(true)
    rig.send(0, KEYFRAME)
    rig.send(2)
    rig.clock.advance(20)
    rig.isHeldUp = true
    rig.clock.advance(3000)
    rig.isHeldUp = false
    rig.send(3)
    rig.clock.advance(20)
    rig.send(1)
    expect([rig.units.length, rig.lostUnits]).to.eql([4, 0])
    expect(rig.ingest.counts).to.eql({ lostPackets: 0, reorderedPackets: 1, duplicatePackets: 0, brokenPackets: 0 })
  })
})
