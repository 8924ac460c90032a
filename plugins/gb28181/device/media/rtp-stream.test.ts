import { expect } from 'chai'
import { parseRtpPacket, RtpStreamReader } from 'sluice/sdk/media'
import { Quirks, type Quirk } from '../quirks.ts'
import { MAX_PACKET_SIZE_BYTES, RtpStream } from './rtp-stream.ts'
import { StreamFraming } from './stream-framing.ts'

const SSRC = 0x0100_0001

/** The packets of so many payloads of one packet each. */
function packetsOf(count: number, quirks: readonly Quirk[] = []): Buffer[] {
  const stream = new RtpStream(SSRC, new Quirks(quirks))
  const init = { payloadType: 96, timestamp: 0, marker: true }
  return Array.from({ length: count }, (_, index) => stream.packets(Buffer.alloc(500, index), init)).flat()
}

const numbersOf = (packets: readonly Buffer[]) => packets.map((packet) => parseRtpPacket(packet).sequenceNumber)

describe('the packets of a device', () => {
  it('have at most 1,400 bytes, one time, and a marker on the last', () => {
    const payload = Buffer.from(Array.from({ length: 3000 }, (_, index) => index % 251))
    const init = { payloadType: 96, timestamp: 2 ** 32 + 7, marker: true }
    const packets = new RtpStream(SSRC, new Quirks()).packets(payload, init)
    expect(Math.max(...packets.map(({ length }) => length))).to.equal(MAX_PACKET_SIZE_BYTES)
    const parsed = packets.map(parseRtpPacket)
    expect(Buffer.concat(parsed.map((packet) => packet.payload)).equals(payload)).to.equal(true)
    expect(parsed.map(({ marker }) => marker)).to.eql([false, false, true])
    expect(new Set(parsed.map(({ timestamp, ssrc }) => `${timestamp} ${ssrc}`))).to.eql(new Set([`7 ${SSRC}`]))
    expect(numbersOf(packets)).to.eql([0, 1, 2])
  })

  it('are lost and swapped by quirks, and keep their numbers', () => {
    expect(numbersOf(packetsOf(7, ['lose=3']))).to.eql([0, 1, 3, 4, 6])
    expect(numbersOf(packetsOf(12, ['reorder']))).to.eql([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 9, 11])
  })
})

describe('the byte stream of a device', () => {
  /** What a platform reads of the stream. */
  function read(quirks: readonly Quirk[], packets: readonly Buffer[]) {
    const framing = new StreamFraming(new Quirks(quirks))
    const bytes = Buffer.concat(packets.map((packet) => framing.frame([packet])))
    const found: number[] = []
    const reader = new RtpStreamReader({ onPacket: (packet) => found.push(parseRtpPacket(packet).sequenceNumber) })
    for (let at = 0; at < bytes.length; at += 333) reader.push(Buffer.from(bytes.subarray(at, at + 333)))
    return { bytes, found }
  }

  it('has a length before each packet (RFC 4571)', () => {
    const packets = packetsOf(2)
    const { bytes, found } = read([], packets)
    expect(bytes.readUInt16BE(0)).to.equal(packets[0]!.length)
    expect(bytes.length).to.equal(2 * (2 + 512))
    expect(found).to.eql([0, 1])
  })

  it('has other headers by quirks', () => {
    const packets = packetsOf(3)
    const dollar = read(['dollar-framing'], packets)
    expect(dollar.bytes.subarray(0, 2)).to.eql(Buffer.from('$\0'))
    expect(dollar.bytes.readUInt16BE(2)).to.equal(512)
    expect(dollar.found).to.eql([0, 1, 2])
    const ehome = read(['ehome'], packets)
    expect(ehome.bytes.length).to.equal(256 + 3 * 514)
    expect(ehome.found).to.eql([0, 1, 2])
  })

  it('breaks once, after a packet', () => {
    const { bytes, found } = read(['broken-framing=4'], packetsOf(20))
    expect(bytes.length).to.equal(20 * 514 - 412)
    // The broken packet is missing, and as many as the platform needs to find its way again.
    expect(found.slice(0, 3)).to.eql([0, 1, 2])
    expect(found.slice(-10)).to.eql([10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    expect(found).not.to.include(4)
  })
})
