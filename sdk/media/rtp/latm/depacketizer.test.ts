import { expect } from 'chai'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../../errors.ts'
import { dataOf, expectCapturedFrames, fuzzDepacketizer, packetOf, pushAll, textOf } from '../fixtures/audio.ts'
import { fmtpParameters, loadCapture } from '../fixtures/captured.ts'
import type { RtpFormat } from '../format.ts'
import type { RtpPacket } from '../packet.ts'
import { LatmDepacketizer } from './depacketizer.ts'

function formatOf(fmtp: string, clockRate = 44_100, channels = 2): RtpFormat {
  return { payloadType: 96, encodingName: 'MP4A-LATM', clockRate, channels, parameters: fmtpParameters(fmtp) }
}

function packet(hex: string, timestamp: number, marker: boolean): RtpPacket {
  return packetOf(fromHex(hex), timestamp, marker)
}

const SDP = 'cpresent=0;config=400024203fc0'

describe('LatmDepacketizer', () => {
  for (const name of ['latm-ffmpeg', 'latm-gstreamer']) {
    it(`finds the frames in what was sent: ${name}`, () => {
      const frames = expectCapturedFrames(name, (format) => {
        // What rtpmap says must not matter.
        const depacketizer = new LatmDepacketizer({ ...format, channels: 6 })
        expect(depacketizer.config).to.deep.include({ record: fromHex('1408'), sampleRate: 16_000, channels: 1 })
        return depacketizer
      })
      expect(frames.length).to.equal(3)
      expect(frames.every(({ config }) => config === undefined)).to.equal(true)
    })
  }

  it('finds frames and configuration in elements that have their own', () => {
    const frames = expectCapturedFrames('latm-in-band', (format) => {
      const depacketizer = new LatmDepacketizer(format)
      expect(depacketizer.config).to.equal(undefined)
      return depacketizer
    })
    expect(frames.map(({ config }) => config === undefined)).to.eql([false, true, true, true, true])
    expect(frames[0]?.config).to.deep.include({ record: fromHex('1408'), sampleRate: 16_000, codecString: 'mp4a.40.2' })
  })

  const CONFIGS: readonly (readonly [name: string, format: RtpFormat, record: string | undefined])[] = [
    ['config', formatOf(SDP), '1210'],
    ['config without cpresent', formatOf('config=400024203fc0'), '1210'],
    ['config with cpresent=1', formatOf('cpresent=1;config=400024203fc0'), '1210'],
    ['an AudioSpecificConfig instead', formatOf('cpresent=0;config=1190'), '1190'],
    ['rtpmap for a missing config', formatOf('cpresent=0', 16_000, 1), '1408'],
    ['rtpmap for a broken config', formatOf('cpresent=0;config=4xyz', 16_000, 1), '1408'],
    ['nothing where elements say it', formatOf('cpresent=1'), undefined],
    ['nothing where nothing is said', formatOf(''), undefined],
  ]
  for (const [name, format, record] of CONFIGS) {
    it(`takes ${name}`, () => {
      expect(new LatmDepacketizer(format).config?.record.toString('hex')).to.equal(record)
    })
  }

  it('expects no configuration in elements where config is given and cpresent is not', () => {
    const depacketizer = new LatmDepacketizer(formatOf('config=400024203fc0'))
    expect(textOf(depacketizer.push(packet('02aabb', 0, true), true))).to.eql(['0 aabb'])
  })

  it('reads several frames of an element, at times that wrap', () => {
    // StreamMuxConfig of three frames.
    const depacketizer = new LatmDepacketizer(formatOf('cpresent=0;config=420024203fc0'))
    const frames = depacketizer.push(packet('01aa 00 02bbcc', 2 ** 32 - 1000, true), true)
    expect(textOf(frames)).to.eql(['4294966296 aa', '1048 bbcc'])
  })

  it('takes the clock for what it is', () => {
    const depacketizer = new LatmDepacketizer(formatOf('cpresent=0;config=410024203fc0', 90_000))
    expect(textOf(depacketizer.push(packet('01aa 01bb', 0, true), true))).to.eql(['0 aa', '2090 bb'])
  })

  it('reads elements without markers when the next one comes', () => {
    const packets = [packet('03aa', 0, false), packet('bbcc', 0, false), packet('01dd', 1024, false)]
    const depacketizer = new LatmDepacketizer(formatOf(SDP))
    expect(textOf(pushAll(depacketizer, packets))).to.eql(['0 aabbcc'])
    expect(textOf(depacketizer.push(packet('01ee', 2048, true), true))).to.eql(['1024 dd', '2048 ee'])
  })

  it('gives up an element with a hole, and reads the next', () => {
    const { format, packets } = loadCapture('latm-ffmpeg')
    const all = pushAll(new LatmDepacketizer(format), packets)
    for (const lost of packets) {
      const depacketizer = new LatmDepacketizer(format)
      const frames = packets.flatMap((packet, index) => {
        if (packet === lost) return []
        try {
          return depacketizer.push(packet, packets[index - 1] !== lost)
        } catch (error) {
          // The last piece of an element alone is no element.
          expect(error).to.be.instanceOf(MalformedError)
          return []
        }
      })
      const found = new Set(frames.map(({ timestamp }) => timestamp))
      const others = all.filter(({ timestamp }) => timestamp !== lost.timestamp)
      for (const frame of others) expect(found.has(frame.timestamp), `time ${frame.timestamp}`).to.equal(true)
      const intact = frames.filter(({ timestamp }) => timestamp !== lost.timestamp)
      expect(intact.map(dataOf)).to.deep.equal(others.map(dataOf))
    }
  })

  it('takes any bytes', () => {
    const { packets } = loadCapture('latm-in-band')
    const seeds = packets.slice(0, 4).map(({ payload }) => payload)
    fuzzDepacketizer([...seeds, fromHex('02aabb')], () => new LatmDepacketizer(formatOf('cpresent=1')))
    fuzzDepacketizer([fromHex('02aabb')], () => new LatmDepacketizer(formatOf(SDP)))
  })
})
