import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../../errors.ts'
import {
  audioUnit,
  dataOf,
  expectCapturedFrames,
  expectLossLosesOne,
  expectRoundTrip,
  fuzzDepacketizer,
  packetOf,
  packetsOf,
  pushAll,
  textOf,
} from '../fixtures/audio.ts'
import { loadCapture } from '../fixtures/captured.ts'
import type { RtpFormat } from '../format.ts'
import { MpaDepacketizer } from './depacketizer.ts'
import { MpaPacketizer } from './packetizer.ts'

const FORMAT: RtpFormat = {
  payloadType: 14,
  encodingName: 'MPA',
  clockRate: 90_000,
  channels: 1,
  parameters: new Map(),
}
const create = () => new MpaDepacketizer(FORMAT)

/** A frame of MPEG-1 layer III, 64 kbit/s, 48 kHz and one channel: 192 bytes, 24 ms. */
function frameOf(fill: number): Buffer {
  return Buffer.concat([Buffer.from('fffb54c0', 'hex'), Buffer.alloc(188, fill)])
}

function payloadOf(offset: number, ...data: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(0, 0, offset >> 8, offset & 0xff), ...data])
}

describe('MpaDepacketizer', () => {
  const CAPTURES = [
    { name: 'mp3-ffmpeg', count: 12, codec: 'mp3', sampleRate: 44_100, codecString: 'mp4a.6B' },
    { name: 'mp3-gstreamer', count: 12, codec: 'mp3', sampleRate: 44_100, codecString: 'mp4a.6B' },
    { name: 'mp3-ffmpeg-fragments', count: 4, codec: 'mp3', sampleRate: 24_000, codecString: 'mp4a.69' },
    { name: 'mp3-gstreamer-fragments', count: 4, codec: 'mp3', sampleRate: 24_000, codecString: 'mp4a.69' },
    { name: 'mp2-ffmpeg', count: 6, codec: 'mp2', sampleRate: 48_000, codecString: 'mp4a.6B' },
  ] as const
  for (const { name, count, codec, sampleRate, codecString } of CAPTURES) {
    it(`finds the frames in what was sent: ${name}`, () => {
      let depacketizer = create()
      const frames = expectCapturedFrames(name, (format) => {
        depacketizer = new MpaDepacketizer(format)
        expect(depacketizer.config).to.equal(undefined)
        return depacketizer
      })
      expect(frames.length).to.equal(count)
      expect(depacketizer.codec).to.equal(codec)
      expect(frames[0]!.config).to.deep.include({ sampleRate, channels: 1, codecString })
      expect(frames.slice(1).every(({ config }) => config === undefined)).to.equal(true)
      expect(depacketizer.config).to.equal(frames[0]!.config)
    })
  }

  it('gives frames of a packet their times, which wrap', () => {
    const payload = payloadOf(0, frameOf(1), frameOf(2), frameOf(3))
    const frames = create().push(packetOf(payload, 2 ** 32 - 3000, true), true)
    expect(frames.map(({ timestamp }) => timestamp)).to.eql([4294964296, 4294966456, 1320])
  })

  it('says when the configuration is another', () => {
    const stereo = frameOf(2)
    stereo[3] = 0
    const payload = payloadOf(0, frameOf(1), stereo, frameOf(3))
    const frames = create().push(packetOf(payload, 0, true), true)
    expect(frames.map(({ config }) => config && 'channels' in config && config.channels)).to.eql([1, 2, 1])
  })

  it('takes what follows a frame for padding when it is none', () => {
    const frames = create().push(packetOf(payloadOf(0, frameOf(1), Buffer.alloc(7)), 0, true), true)
    expect(textOf(frames)).to.eql([`0 ${frameOf(1).toString('hex')}`])
  })

  it('gives up a frame whose pieces do not follow each other', () => {
    const depacketizer = create()
    const frame = frameOf(1)
    const pieces = [payloadOf(0, frame.subarray(0, 100)), payloadOf(100, frame.subarray(100))]
    const [start, end] = pieces.map((piece) => packetOf(piece, 7, false))
    expect(pushAll(depacketizer, [start!, end!]).map(dataOf)).to.deep.equal([frame])
    expect(pushAll(depacketizer, [start!, { ...end!, timestamp: 8 }])[0]?.timestamp).to.equal(7)
    expect(pushAll(depacketizer, [end!])).to.eql([])
    expect(pushAll(depacketizer, [start!, packetOf(payloadOf(99, frame.subarray(99)), 7, false), end!])).to.eql([])
    depacketizer.push(start!, true)
    expect(depacketizer.push(end!, false)).to.eql([])
    depacketizer.push(start!, true)
    expect(() => depacketizer.push(packetOf(Buffer.alloc(4), 7, false), true)).to.throw(MalformedError)
    expect(depacketizer.push(end!, true)).to.eql([])
    expect(pushAll(depacketizer, [start!, end!]).map(dataOf)).to.deep.equal([frame])
  })

  it('refuses what is no frame', () => {
    for (const hex of ['', '000000', '00000000', '00000000fffb04c0', '0000000049443303']) {
      const packet = packetOf(Buffer.from(hex, 'hex'), 0, true)
      expect(() => create().push(packet, true), hex).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    const seeds = ['mp3-ffmpeg', 'mp3-ffmpeg-fragments'].flatMap((name) => loadCapture(name).packets.slice(0, 3))
    fuzzDepacketizer(
      seeds.map(({ payload }) => payload),
      create,
    )
  })
})

describe('MpaPacketizer', () => {
  const send = (data: Buffer, maxPayloadBytes: number) =>
    packetsOf(new MpaPacketizer({ maxPayloadBytes }).packetize(audioUnit('mp3', data)), 0)

  it('sends a frame whole where it fits, else in pieces', () => {
    const frame = frameOf(5)
    const payloads = (limit: number) => send(frame, limit).map(({ payload }) => payload)
    expect(payloads(196)).to.deep.equal([payloadOf(0, frame)])
    expect(payloads(195)).to.deep.equal([payloadOf(0, frame.subarray(0, 191)), payloadOf(191, frame.subarray(191))])
    expect(send(Buffer.alloc(0), 100)).to.eql([])
    expect(() => send(Buffer.alloc(65_536), 1400)).to.throw(MalformedError)
  })

  it('sends what ffmpeg sends of the same frames', () => {
    const { format, packets } = loadCapture('mp3-ffmpeg-fragments')
    const frames = pushAll(new MpaDepacketizer(format), packets)
    const sent = frames.flatMap((frame) => send(dataOf(frame), 88))
    expect(sent.map(({ payload }) => payload.toString('hex'))).to.eql(
      packets.map(({ payload }) => payload.toString('hex')),
    )
  })

  // The header of each is followed by as many bytes as it says.
  const FRAMES = [
    ['fffb54c0', 192],
    ['fff370c0', 182],
    ['fffde4c4', 1152],
    ['ffe34000', 208],
    ['ffffc200', 420],
  ] as const
  const UNITS = fc
    .tuple(fc.constantFrom(...FRAMES), fc.nat(255))
    .map(([[hex, sizeBytes], fill]) =>
      audioUnit('mp3', Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(sizeBytes - 4, fill)])),
    )

  it('is understood by the depacketizer', () => {
    expectRoundTrip({
      packetizer: (maxPayloadBytes) => new MpaPacketizer({ maxPayloadBytes }),
      depacketizer: create,
      unit: UNITS,
      minPayloadBytes: 32,
    })
  })

  it('loses no more than the frame of a lost packet', () => {
    const units = [1, 2, 3].map((fill) => audioUnit('mp3', frameOf(fill)))
    expectLossLosesOne(units, new MpaPacketizer({ maxPayloadBytes: 80 }), create)
  })
})
