import { expect } from 'chai'
import { parseRtpPacket } from '../packet.ts'
import { randomRtpStart, RtpSender } from './sender.ts'

const FRAMING = {
  sizeBytes: 2,
  write: (bytes: Buffer, offset: number, packetSizeBytes: number) => void bytes.writeUInt16BE(packetSizeBytes, offset),
}

function senderOf(sequenceNumber: number, timestampOffset: number): RtpSender {
  const format = { payloadType: 96, clockRate: 8000 }
  return new RtpSender({ format, ssrc: 7, sequenceNumber, timestampOffset })
}

describe('RtpSender', () => {
  it('numbers packets across the wrap, and puts each in its framing', () => {
    const sender = senderOf(65_535, 0)
    const payloads = [
      { parts: [Buffer.from('ab'), Buffer.from('c')], sizeBytes: 3, marker: false },
      { parts: [Buffer.from('d')], sizeBytes: 1, marker: true, offsetTicks: 160 },
    ]
    const bytes = sender.serialize(payloads, 2 ** 32 - 100, FRAMING)
    expect(bytes.readUInt16BE(0)).to.equal(15)
    const packets = [parseRtpPacket(bytes.subarray(2, 17)), parseRtpPacket(bytes.subarray(19))]
    expect(
      packets.map(({ sequenceNumber, timestamp, marker, ssrc, payload }) => [
        sequenceNumber,
        timestamp,
        marker,
        ssrc,
        payload.toString(),
      ]),
    ).to.eql([
      [65_535, 2 ** 32 - 100, false, 7, 'abc'],
      [0, 60, true, 7, 'd'],
    ])
  })

  it('gives times of any timescale at its clock rate, modulo 32 bits', () => {
    const sender = senderOf(0, 2 ** 32 - 80)
    expect(sender.timestampOf(0, 1000)).to.equal(2 ** 32 - 80)
    expect(sender.timestampOf(900, 90_000)).to.equal(0)
    expect(sender.timestampOf(-1000, 1000)).to.equal(2 ** 32 - 8080)
  })

  it('reports what was sent: packets, and bytes of payloads alone', () => {
    const sender = senderOf(0, 5)
    const payload = { parts: [Buffer.alloc(10)], sizeBytes: 10, marker: true }
    expect(sender.serialize([payload, payload], 0)).to.have.length(2 * (12 + 10))
    sender.sent(1, 10)
    expect(sender.report(1_700_000_000_000, sender.timestampOf(1000, 1000))).to.eql({
      kind: 'senderReport',
      ssrc: 7,
      ntpMs: 17e11,
      rtpTimestamp: 8005,
      packetCount: 3,
      octetCount: 30,
      reports: [],
    })
  })

  it('leaves no gap in the numbers where somebody else writes packets', () => {
    const sender = senderOf(65_534, 0)
    sender.sent(3, 300)
    const fork = sender.fork()
    const bytes = sender.serialize([{ parts: [], sizeBytes: 0, marker: false }], 0)
    expect([parseRtpPacket(bytes).sequenceNumber, sender.sequenceNumber, fork.sequenceNumber]).to.eql([1, 2, 1])
    expect([sender.packetCount, fork.packetCount, fork.payloadBytes]).to.eql([4, 3, 300])
  })

  it('begins below half of the numbers, so that nobody sees a wrap before the first packet', () => {
    const start = { sequenceNumber: 0x7fff, timestampOffset: 0xffff_ffff, ssrc: 0xffff_ffff }
    expect(randomRtpStart(Buffer.alloc(10, 0xff))).to.eql(start)
    expect(() => randomRtpStart(Buffer.alloc(9))).to.throw(RangeError)
  })
})
