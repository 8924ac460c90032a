import { expect } from 'chai'
import { aacConfig } from '../codec/aac/config.ts'
import { av1Config } from '../codec/av1/config.ts'
import { h264Config, h264ConfigFromParameterSets } from '../codec/h264/config.ts'
import {
  parseAvcDecoderConfigurationRecord,
  serializeAvcDecoderConfigurationRecord,
} from '../codec/h264/avc-decoder-configuration-record.ts'
import { h265ConfigFromParameterSets } from '../codec/h265/config.ts'
import { vp9Config } from '../codec/vp9/config.ts'
import { rtpFormatAttributes } from '../sdp/rtp-media.ts'
import type { AudioCodec, AudioConfig, Track, VideoCodec, VideoConfig } from '../track.ts'
import { createRtpPacketizer } from './payload-formats.ts'
import { canCarryInRtp, rtpFormatOfTrack } from './track-format.ts'

const PAYLOAD_TYPE = 101
const EMPTY = Buffer.alloc(0)

function base64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}

function video(codec: VideoCodec, config: Partial<VideoConfig> = {}): Track {
  const unsaid = { record: EMPTY, width: 0, height: 0, codecString: '' }
  return { id: 0, kind: 'video', codec, timescale: 1000, config: { ...unsaid, ...config } }
}

function audio(codec: AudioCodec, sampleRate: number, channels: number, config: Partial<AudioConfig> = {}): Track {
  const said = { record: EMPTY, sampleRate, channels, codecString: '' }
  return { id: 0, kind: 'audio', codec, timescale: 1000, config: { ...said, ...config } }
}

function aac(hex: string): Track {
  const config = aacConfig(Buffer.from(hex, 'hex'))
  return audio('aac', config.sampleRate, config.channels, config)
}

// What x264 and x265 made for ffmpeg 5.1, whose `fmtp` has the same sets (and `profile-level-id`).
const SPS = 'Z2QADazZQUH7ARAAAAMAEAAAAwMg8UKZYA=='
const PPS = 'aOvjyyLA'
const H265 = {
  vps: 'QAEMAf//AWAAAAMAkAAAAwAAAwA8lZgJ',
  sps: 'QgEBAWAAAAMAkAAAAwAAAwA8oAoIDxZZWaSTK8BaAgAAAwACAAADADIQ',
  pps: 'RAHBcrRiQA==',
}
const AAC_HBR = 'streamtype=5;profile-level-id=1;mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3'

const h264 = h264ConfigFromParameterSets(base64(SPS), base64(PPS))
const avcC = parseAvcDecoderConfigurationRecord(h264.record)
const twoPps = h264Config(serializeAvcDecoderConfigurationRecord({ ...avcC, pps: [...avcC.pps, base64('aOvjyyM=')] }))
const noSets = h264Config(serializeAvcDecoderConfigurationRecord({ ...avcC, sps: [], pps: [] }))

const cases: readonly { name: string; track: Track; rtpmap: string; fmtp?: string }[] = [
  {
    name: 'H.264',
    track: video('h264', h264),
    rtpmap: '101 H264/90000',
    fmtp: `packetization-mode=1;profile-level-id=64000d;sprop-parameter-sets=${SPS},${PPS}`,
  },
  {
    name: 'H.264 with two PPS',
    track: video('h264', twoPps),
    rtpmap: '101 H264/90000',
    fmtp: `packetization-mode=1;profile-level-id=64000d;sprop-parameter-sets=${SPS},${PPS},aOvjyyM=`,
  },
  {
    name: 'H.264 with its sets in the stream',
    track: video('h264', noSets),
    rtpmap: '101 H264/90000',
    fmtp: 'packetization-mode=1;profile-level-id=64000d',
  },
  { name: 'H.264 without a record', track: video('h264'), rtpmap: '101 H264/90000', fmtp: 'packetization-mode=1' },
  {
    name: 'H.265',
    track: video('h265', h265ConfigFromParameterSets(base64(H265.vps), base64(H265.sps), base64(H265.pps))),
    rtpmap: '101 H265/90000',
    fmtp: `profile-id=1;tier-flag=0;level-id=60;sprop-vps=${H265.vps};sprop-sps=${H265.sps};sprop-pps=${H265.pps}`,
  },
  { name: 'H.265 without a record', track: video('h265'), rtpmap: '101 H265/90000' },
  {
    // The record's second byte is profile (3 bits) and level (5), the third begins with the tier.
    name: 'AV1',
    track: video('av1', av1Config(Buffer.from('812d8c00', 'hex'))),
    rtpmap: '101 AV1/90000',
    fmtp: 'profile=1;level-idx=13;tier=1',
  },
  { name: 'AV1 without a record', track: video('av1'), rtpmap: '101 AV1/90000' },
  { name: 'VP8', track: video('vp8'), rtpmap: '101 VP8/90000' },
  {
    name: 'VP9',
    track: video('vp9', vp9Config(Buffer.from('0233c30910090000', 'hex'))),
    rtpmap: '101 VP9/90000',
    fmtp: 'profile-id=2',
  },
  { name: 'VP9 without a record', track: video('vp9'), rtpmap: '101 VP9/90000' },
  {
    name: 'AAC',
    track: aac('119056e500'),
    rtpmap: '101 MPEG4-GENERIC/48000/2',
    fmtp: `${AAC_HBR};config=119056e500`,
  },
  {
    name: 'AAC of one channel',
    track: aac('1188'),
    rtpmap: '101 MPEG4-GENERIC/48000',
    fmtp: `${AAC_HBR};config=1188`,
  },
  {
    name: 'HE-AAC, by the rate of its core',
    track: aac('2b118800'),
    rtpmap: '101 MPEG4-GENERIC/24000/2',
    fmtp: `${AAC_HBR};config=2b118800`,
  },
  { name: 'Opus', track: audio('opus', 48_000, 2), rtpmap: '101 OPUS/48000/2', fmtp: 'sprop-stereo=1' },
  { name: 'Opus of one channel', track: audio('opus', 48_000, 1), rtpmap: '101 OPUS/48000/2' },
  { name: 'A-law', track: audio('pcma', 8000, 1), rtpmap: '8 PCMA/8000' },
  { name: 'A-law of another rate', track: audio('pcma', 16_000, 1), rtpmap: '101 PCMA/16000' },
  { name: 'A-law of two channels', track: audio('pcma', 8000, 2), rtpmap: '101 PCMA/8000/2' },
  { name: 'µ-law', track: audio('pcmu', 8000, 1), rtpmap: '0 PCMU/8000' },
  { name: 'µ-law of another rate', track: audio('pcmu', 48_000, 2), rtpmap: '101 PCMU/48000/2' },
  { name: 'G.722', track: audio('g722', 16_000, 1), rtpmap: '9 G722/8000' },
  { name: 'G.722 of two channels', track: audio('g722', 16_000, 2), rtpmap: '101 G722/8000/2' },
  { name: 'L16 in stereo', track: audio('l16', 44_100, 2), rtpmap: '10 L16/44100/2' },
  { name: 'L16 in mono', track: audio('l16', 44_100, 1), rtpmap: '11 L16/44100' },
  { name: 'L16 of another rate', track: audio('l16', 48_000, 6), rtpmap: '101 L16/48000/6' },
  { name: 'MP3', track: audio('mp3', 44_100, 2), rtpmap: '14 MPA/90000' },
  { name: 'MP2', track: audio('mp2', 48_000, 1), rtpmap: '14 MPA/90000' },
  { name: 'AC-3', track: audio('ac3', 48_000, 6), rtpmap: '101 AC3/48000/6' },
  { name: 'E-AC-3', track: audio('eac3', 44_100, 2), rtpmap: '101 EAC3/44100/2' },
]

const refused: readonly { name: string; track: Track }[] = [
  { name: 'Motion JPEG', track: video('mjpeg') },
  { name: 'FLAC', track: audio('flac', 48_000, 2) },
  { name: 'Opus of six channels', track: audio('opus', 48_000, 6) },
  { name: 'AAC without a configuration', track: audio('aac', 48_000, 2) },
  {
    name: 'data',
    track: { id: 0, kind: 'data', codec: 'klv', timescale: 1000, config: { record: EMPTY, codecString: '' } },
  },
]

describe('rtpFormatOfTrack', () => {
  for (const { name, track, rtpmap, fmtp } of cases) {
    it(`describes ${name}`, () => {
      const format = rtpFormatOfTrack(track, PAYLOAD_TYPE)!
      const lines = rtpFormatAttributes(format).map(({ value }) => value)
      expect(lines).to.deep.equal(fmtp === undefined ? [rtpmap] : [rtpmap, `${format.payloadType} ${fmtp}`])
      expect(canCarryInRtp(track)).to.equal(true)
      // Opus is never cut.
      const tooSmall = () => createRtpPacketizer(track, 31)
      if (track.codec !== 'opus') expect(tooSmall).to.throw(RangeError, 'at least 32, not 31')
    })
  }

  for (const { name, track } of refused) {
    it(`refuses ${name}`, () => {
      expect(rtpFormatOfTrack(track, PAYLOAD_TYPE)).to.equal(undefined)
      expect(canCarryInRtp(track)).to.equal(false)
    })
  }
})
