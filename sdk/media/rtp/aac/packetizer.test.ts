import { expect } from 'chai'
import fc from 'fast-check'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../../errors.ts'
import { audioUnit, dataOf, expectLossLosesOne, expectRoundTrip, packetsOf, pushAll } from '../fixtures/audio.ts'
import { loadCapture } from '../fixtures/captured.ts'
import type { RtpFormat } from '../format.ts'
import { AacDepacketizer } from './depacketizer.ts'
import { AacPacketizer } from './packetizer.ts'

const FORMAT: RtpFormat = {
  payloadType: 96,
  encodingName: 'MPEG4-GENERIC',
  clockRate: 48_000,
  channels: 2,
  parameters: new Map([['config', '1190']]),
}
const unitOf = (sizeBytes: number, value = 1) => audioUnit('aac', Buffer.alloc(sizeBytes, value))

describe('AacPacketizer', () => {
  const CASES: readonly (readonly [name: string, data: string, maxPayloadBytes: number, payloads: string[]])[] = [
    ['an access unit', '0102030405', 100, ['00100028 0102030405 M']],
    ['one that just fits', '01'.repeat(28), 32, [`001000e0 ${'01'.repeat(28)} M`]],
    ['pieces of one', `${'01'.repeat(28)}0203`, 32, [`001000f0 ${'01'.repeat(28)}`, '001000f0 0203 M']],
    ['nothing of an empty one', '', 100, []],
  ]
  for (const [name, data, maxPayloadBytes, payloads] of CASES) {
    it(`sends ${name}`, () => {
      const found = new AacPacketizer({ maxPayloadBytes }).packetize(audioUnit('aac', fromHex(data)))
      const text = found.map(
        ({ parts, marker }) => parts.map((part) => part.toString('hex')).join(' ') + (marker ? ' M' : ''),
      )
      expect(text).to.eql(payloads)
    })
  }

  it('sends what GStreamer sends of the same access units', () => {
    const { format, packets } = loadCapture('aac-gstreamer')
    const [first] = pushAll(new AacDepacketizer(format), packets)
    const payloads = new AacPacketizer({ maxPayloadBytes: 88 }).packetize(audioUnit('aac', dataOf(first!)))
    const sent = packets.filter(({ timestamp }) => timestamp === first!.timestamp)
    const pick = ({ payload, marker }: { payload: Buffer; marker: boolean }) => `${payload.toString('hex')} ${marker}`
    expect(packetsOf(payloads, 0).map(pick)).to.eql(sent.map(pick))
  })

  it('refuses what no header can say the size of', () => {
    const packetizer = new AacPacketizer({ maxPayloadBytes: 1400 })
    expect(packetizer.packetize(unitOf(8191))).to.have.lengthOf(6)
    expect(() => packetizer.packetize(unitOf(8192))).to.throw(MalformedError, '8192 bytes is longer than 8191')
  })

  it('is understood by the depacketizer', () => {
    expectRoundTrip({
      packetizer: (maxPayloadBytes) => new AacPacketizer({ maxPayloadBytes }),
      depacketizer: () => new AacDepacketizer(FORMAT),
      unit: fc.uint8Array({ minLength: 1, maxLength: 2000 }).map((data) => audioUnit('aac', Buffer.from(data))),
      minPayloadBytes: 32,
    })
  })

  it('loses no more than the access unit of a lost packet', () => {
    const units = [unitOf(250, 1), unitOf(50, 2), unitOf(300, 3), unitOf(80, 4)]
    const packetizer = new AacPacketizer({ maxPayloadBytes: 100 })
    expectLossLosesOne(units, packetizer, () => new AacDepacketizer(FORMAT))
  })
})
