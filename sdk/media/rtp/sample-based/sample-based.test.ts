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
  const SAMPLES = Buffer.from(Array.from({ length: 84 }, (_, index) => index))
  const CASES = [
    {
      codec: 'pcma',
      channels: 1,
      maxPayloadBytes: 40,
      payloads: ['at 0: 0 to 39', 'at 40: 40 to 79', 'at 80: 80 to 83'],
    },
    {
      codec: 'pcmu',
      channels: 2,
      maxPayloadBytes: 41,
      payloads: ['at 0: 0 to 39', 'at 20: 40 to 79', 'at 40: 80 to 83'],
    },
    { codec: 'g722', channels: 1, maxPayloadBytes: 84, payloads: ['at 0: 0 to 83'] },
    { codec: 'l16', channels: 1, maxPayloadBytes: 43, payloads: ['at 0: 0 to 41', 'at 21: 42 to 83'] },
    {
      codec: 'l16',
      channels: 2,
      maxPayloadBytes: 43,
      payloads: ['at 0: 0 to 39', 'at 10: 40 to 79', 'at 20: 80 to 83'],
    },
    {
      codec: 'l16',
      channels: 20,
      maxPayloadBytes: 32,
      payloads: ['at 0: 0 to 39', 'at 1: 40 to 79', 'at 2: 80 to 83'],
    },
  ] as const
  for (const { codec, channels, maxPayloadBytes, payloads } of CASES) {
    it(`cuts ${codec} of ${channels} channels for ${maxPayloadBytes} bytes`, () => {
      const packetizer = new SampleBasedPacketizer({ maxPayloadBytes, codec, channels })
      const packets = packetsOf(packetizer.packetize(audioUnit(codec, SAMPLES)), 0)
      expect(packets.map(({ timestamp, payload }) => `at ${timestamp}: ${payload[0]} to ${payload.at(-1)}`)).to.eql(
        payloads,
      )
      expect(packets.reduce((total, { payload }) => total + payload.length, 0)).to.equal(84)
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
        fc.integer({ min: 32, max: 1500 }),
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
