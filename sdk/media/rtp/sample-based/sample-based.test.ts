import { expect } from 'chai'
import fc from 'fast-check'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../../errors.ts'
import {
  audioUnit,
  dataOf,
  expectCapturedFrames,
  fuzzDepacketizer,
  packetOf,
  packetsOf,
  pushAll,
  textOf,
} from '../fixtures/audio.ts'
import type { RtpFormat } from '../format.ts'
import { SampleBasedDepacketizer } from './depacketizer.ts'
import { SampleBasedPacketizer } from './packetizer.ts'

function formatOf(encodingName: string, clockRate: number, channels: number): RtpFormat {
  return { payloadType: 96, encodingName, clockRate, channels, parameters: new Map() }
}

describe('SampleBasedDepacketizer', () => {
  const CAPTURES = [
    { name: 'pcma-ffmpeg', codec: 'pcma', sampleRate: 8000, channels: 1, ticks: [0, 160, 320, 480, 640] },
    {
      name: 'pcmu-gstreamer',
      codec: 'pcmu',
      sampleRate: 8000,
      channels: 1,
      ticks: [0, 160, 320, 480, 640],
    },
    { name: 'g722-ffmpeg', codec: 'g722', sampleRate: 16_000, channels: 1, ticks: [0, 160, 320, 480, 640] },
    { name: 'l16-ffmpeg', codec: 'l16', sampleRate: 16_000, channels: 2, ticks: [0, 97, 194, 291, 388] },
    { name: 'l16-gstreamer', codec: 'l16', sampleRate: 16_000, channels: 2, ticks: [0, 97, 194, 291, 388] },
  ] as const
  for (const { name, codec, sampleRate, channels, ticks } of CAPTURES) {
    it(`finds the samples in what was sent: ${name}`, () => {
      const frames = expectCapturedFrames(name, (format) => {
        const depacketizer = new SampleBasedDepacketizer(format)
        expect(depacketizer.codec).to.equal(codec)
        expect(depacketizer.config).to.include({ sampleRate, channels })
        return depacketizer
      })
      expect(frames.map(({ timestamp }) => (timestamp - frames[0]!.timestamp) >>> 0)).to.eql(ticks)
    })
  }

  const CASES: readonly (readonly [name: string, channels: number, hex: string, frames: string[]])[] = [
    ['PCMA', 1, 'd5d5d5', ['7 d5d5d5']],
    ['PCMU', 2, 'ff7fff', ['7 ff7f']],
    ['G722', 1, 'fafafa', ['7 fafafa']],
    ['L16', 1, '0001 fffe 00', ['7 0001fffe']],
    ['L16', 2, '0001 fffe 0002 00', ['7 0001fffe']],
    ['L16', 2, '0001 ff', []],
    ['PCMA', 1, '', []],
  ]
  for (const [name, channels, hex, frames] of CASES) {
    it(`reads ${name} of ${channels} channels: ${hex}`, () => {
      const depacketizer = new SampleBasedDepacketizer(formatOf(name, 8000, channels))
      expect(textOf(depacketizer.push(packetOf(fromHex(hex), 7, true)))).to.eql(frames)
    })
  }

  it('refuses other encodings', () => {
    expect(() => new SampleBasedDepacketizer(formatOf('OPUS', 48_000, 2))).to.throw(MalformedError, 'OPUS')
  })

  it('takes any bytes', () => {
    fuzzDepacketizer([fromHex('00010002')], () => new SampleBasedDepacketizer(formatOf('L16', 44_100, 2)))
  })
})

describe('SampleBasedPacketizer', () => {
  const CASES = [
    { codec: 'pcma', channels: 1, maxPayloadBytes: 4, payloads: ['0 01020304', '4 05060708', '8 0910'] },
    { codec: 'pcmu', channels: 2, maxPayloadBytes: 5, payloads: ['0 01020304', '2 05060708', '4 0910'] },
    { codec: 'g722', channels: 1, maxPayloadBytes: 10, payloads: ['0 01020304050607080910'] },
    { codec: 'l16', channels: 1, maxPayloadBytes: 5, payloads: ['0 01020304', '2 05060708', '4 0910'] },
    { codec: 'l16', channels: 2, maxPayloadBytes: 9, payloads: ['0 0102030405060708', '2 0910'] },
    { codec: 'l16', channels: 2, maxPayloadBytes: 3, payloads: ['0 01020304', '1 05060708', '2 0910'] },
  ] as const
  for (const { codec, channels, maxPayloadBytes, payloads } of CASES) {
    it(`cuts ${codec} of ${channels} channels for ${maxPayloadBytes} bytes`, () => {
      const packetizer = new SampleBasedPacketizer({ maxPayloadBytes, codec, channels })
      const packets = packetsOf(packetizer.packetize(audioUnit(codec, fromHex('0102030405 0607080910'))), 0)
      expect(packets.map(({ timestamp, payload }) => `${timestamp} ${payload.toString('hex')}`)).to.eql(payloads)
    })
  }

  it('sends nothing of an empty unit', () => {
    const packetizer = new SampleBasedPacketizer({ maxPayloadBytes: 100, codec: 'pcma', channels: 1 })
    expect(packetizer.packetize(audioUnit('pcma', Buffer.alloc(0)))).to.eql([])
  })

  it('is understood by the depacketizer', () => {
    const samples = fc.uint8Array({ minLength: 1, maxLength: 3000 })
    fc.assert(
      fc.property(
        samples,
        fc.integer({ min: 6, max: 1500 }),
        fc.integer({ min: 1, max: 3 }),
        (bytes, limit, channels) => {
          const data = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % (2 * channels))))
          const packetizer = new SampleBasedPacketizer({ maxPayloadBytes: limit, codec: 'l16', channels })
          const packets = packetsOf(packetizer.packetize(audioUnit('l16', data)), 2 ** 32 - 100)
          for (const { payload } of packets) expect(payload.length).to.be.at.most(limit)
          const frames = pushAll(new SampleBasedDepacketizer(formatOf('L16', 48_000, channels)), packets)
          expect(Buffer.concat(frames.map(dataOf))).to.eql(data)
          let timestamp = 2 ** 32 - 100
          for (const frame of frames) {
            expect(frame.timestamp).to.equal(timestamp)
            timestamp = (timestamp + dataOf(frame).length / (2 * channels)) >>> 0
          }
        },
      ),
    )
  })
})
