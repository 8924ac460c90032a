import { expect } from 'chai'
import { parseRtpPacket } from './packet.ts'
import { RtpSender } from './sender.ts'

const FRAMING = {
  sizeBytes: 2,
  write: (bytes: Buffer, offset: number, packetSizeBytes: number) => void bytes.writeUInt16BE(packetSizeBytes, offset),
}

function senderOf(sequenceNumber: number, timestampOffset: number): RtpSender {
  const format = { payloadType: 96, clockRate: 8000 }
  return new RtpSender({ format, ssrc: 7, sequenceNumber, timestampOffset, framing: FRAMING })
}

describe('RtpSender', () => {
  it('numbers packets across the wrap, and puts each in its framing', () => {
    const sender = senderOf(65_535, 0)
    const payloads = [
      { parts: [Buffer.from('ab'), Buffer.from('c')], sizeBytes: 3, marker: false },
      { parts: [Buffer.from('d')], sizeBytes: 1, marker: true, offsetTicks: 160 },
    ]
    const bytes = sender.serialize(payloads, 2 ** 32 - 100)
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
    sender.serialize([payload, payload, payload], 0)
    expect(sender.report(1_700_000_000_000, 1000)).to.eql({
      kind: 'senderReport',
      ssrc: 7,
      ntpMs: 17e11,
      rtpTimestamp: 8005,
      packetCount: 3,
      octetCount: 30,
      reports: [],
    })
  })
})
