import { expect } from 'chai'
import fc from 'fast-check'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../../errors.ts'
import {
  audioUnit,
  expectCapturedFrames,
  expectRoundTrip,
  fuzzDepacketizer,
  packetOf,
  pushAll,
  textOf,
} from '../fixtures/audio.ts'
import { fmtpParameters } from '../fixtures/captured.ts'
import type { RtpFormat } from '../format.ts'
import { OpusDepacketizer } from './depacketizer.ts'
import { OpusPacketizer } from './packetizer.ts'

const MAGIC = '4f70757348656164'
const MONO = `${MAGIC} 01 01 0000 80bb0000 0000 00`
const STEREO = `${MAGIC} 01 02 0000 80bb0000 0000 00`

function formatOf(fmtp: string, encodingName = 'OPUS', channels = 2): RtpFormat {
  return { payloadType: 96, encodingName, clockRate: 48_000, channels, parameters: fmtpParameters(fmtp) }
}

describe('OpusDepacketizer', () => {
  for (const name of ['opus-ffmpeg', 'opus-gstreamer']) {
    it(`finds the packets in what was sent: ${name}`, () => {
      const frames = expectCapturedFrames(name, (format) => {
        const depacketizer = new OpusDepacketizer(format)
        expect(depacketizer.config).to.deep.include({ record: fromHex(STEREO), sampleRate: 48_000, channels: 2 })
        return depacketizer
      })
      expect(frames.length).to.equal(name === 'opus-ffmpeg' ? 6 : 5)
      expect(frames.every(({ config }) => config === undefined)).to.equal(true)
    })
  }

  const CONFIGS: readonly (readonly [name: string, format: RtpFormat, head: string])[] = [
    ['stereo', formatOf('minptime=10;sprop-stereo=1'), STEREO],
    ['mono', formatOf('sprop-stereo=0'), MONO],
    ['what is not said', formatOf('minptime=10;useinbandfec=1;stereo=1'), MONO],
    [
      '5.1 of Chromium',
      formatOf(
        'channel_mapping=0,4,1,2,3,5;coupled_streams=2;minptime=10;num_streams=4;useinbandfec=1',
        'MULTIOPUS',
        6,
      ),
      `${MAGIC} 01 06 0000 80bb0000 0000 01 04 02 000401020305`,
    ],
    [
      'nine channels',
      formatOf('channel_mapping=0,1,2,3,4,5,6,7,8;coupled_streams=0;num_streams=9', 'MULTIOPUS', 9),
      `${MAGIC} 01 09 0000 80bb0000 0000 ff 09 00 000102030405060708`,
    ],
  ]
  for (const [name, format, head] of CONFIGS) {
    it(`knows the configuration of ${name}`, () => {
      const { config } = new OpusDepacketizer(format)
      expect(config.record).to.deep.equal(fromHex(head))
    })
  }

  it('refuses a layout that is not said or cannot be', () => {
    const layouts = [
      '',
      'channel_mapping=0,4,1,2,3;coupled_streams=2;num_streams=4',
      'channel_mapping=0,4,1,2,3,5;coupled_streams=5;num_streams=4',
      'channel_mapping=0,4,1,2,3,6;coupled_streams=2;num_streams=4',
      'channel_mapping=0,4,1,2,3,x;coupled_streams=2;num_streams=4',
      'channel_mapping=0,4,1,2,3,5;coupled_streams=2;num_streams=0',
    ]
    for (const layout of layouts) {
      expect(() => new OpusDepacketizer(formatOf(layout, 'MULTIOPUS', 6)), layout).to.throw(MalformedError)
    }
  })

  it('learns of stereo from the first packet that is, once', () => {
    const depacketizer = new OpusDepacketizer(formatOf(''))
    const packets = ['78aa', '7caa', '78aa', '7caa'].map((hex, index) => packetOf(fromHex(hex), index * 960, false))
    const frames = pushAll(depacketizer, packets)
    expect(textOf(frames)).to.eql(['0 78aa', '960 7caa', '1920 78aa', '2880 7caa'])
    expect(frames.map(({ config }) => config?.record)).to.deep.equal([undefined, fromHex(STEREO), undefined, undefined])
  })

  it('makes nothing of an empty payload', () => {
    expect(new OpusDepacketizer(formatOf('')).push(packetOf(Buffer.alloc(0), 0, false))).to.eql([])
  })

  it('takes any bytes', () => {
    fuzzDepacketizer([fromHex('7caa')], () => new OpusDepacketizer(formatOf('')))
  })
})

describe('OpusPacketizer', () => {
  it('sends each packet whole', () => {
    const payloads = new OpusPacketizer().packetize(audioUnit('opus', fromHex('7c010203')))
    expect(payloads).to.deep.equal([{ parts: [fromHex('7c010203')], sizeBytes: 4, marker: false }])
    expect(new OpusPacketizer().packetize(audioUnit('opus', Buffer.alloc(0)))).to.eql([])
  })

  it('is understood by the depacketizer', () => {
    expectRoundTrip({
      packetizer: () => new OpusPacketizer(),
      depacketizer: () => new OpusDepacketizer(formatOf('')),
      unit: fc.uint8Array({ minLength: 1, maxLength: 1275 }).map((data) => audioUnit('opus', Buffer.from(data))),
      minPayloadBytes: 1275,
    })
  })
})
