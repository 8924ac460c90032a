import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runPeer } from '../../../test/peers/process.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { AccessUnit } from '../access-unit.ts'
import { joinAnnexB, splitAnnexB } from '../codec/nalu.ts'
import { loadCapture, loadLines } from './fixtures/capture.ts'
import { depacketize, formatOf, sent, trackOf } from './fixtures/packets.ts'
import { H264Depacketizer } from './h264/depacketizer.ts'
import { H264Packetizer } from './h264/packetizer.ts'
import { H265Depacketizer } from './h265/depacketizer.ts'
import { H265Packetizer } from './h265/packetizer.ts'
import type { RtpPacket } from './packet.ts'
import { Vp8Packetizer } from './vp8/packetizer.ts'
import { Vp9Packetizer } from './vp9/packetizer.ts'

const OPTIONS = { maxPayloadBytes: 200 }
const NALU_FORMAT = 'stream-format=byte-stream,alignment=nal'

const CODECS = [
  { codec: 'h264', packetizer: new H264Packetizer(OPTIONS), depacketizer: new H264Depacketizer(formatOf()) },
  { codec: 'h265', packetizer: new H265Packetizer(OPTIONS), depacketizer: new H265Depacketizer(formatOf()) },
  { codec: 'vp8', packetizer: new Vp8Packetizer(OPTIONS), depacketizer: undefined },
  { codec: 'vp9', packetizer: new Vp9Packetizer(OPTIONS), depacketizer: undefined },
] as const

/** Packets with their sizes before them (RFC 4571). */
function serialize(packets: readonly RtpPacket[]): Buffer {
  const parts = packets.map(({ payload, marker, timestamp, ssrc }, sequenceNumber) => {
    const header = Buffer.from([0, 0, 0x80, marker ? 0xe0 : 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    header.writeUInt16BE(header.length - 2 + payload.length, 0)
    header.writeUInt16BE(sequenceNumber, 4)
    header.writeUInt32BE(timestamp, 6)
    header.writeUInt32BE(ssrc, 10)
    return Buffer.concat([header, payload])
  })
  return Buffer.concat(parts)
}

describe('RTP payloads of video with GStreamer', () => {
  let folder = ''

  before(async function () {
    requirePeer(this, 'gstreamer')
    folder = await mkdtemp(join(tmpdir(), 'sluice-rtp-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const { codec, packetizer, depacketizer } of CODECS) {
    it(`are read as they were meant: ${codec}`, async () => {
      const track = trackOf(codec)
      const frames = depacketizer && depacketize(depacketizer, loadCapture(`${codec}-gstreamer`))
      const bytes = frames ? frames.map((frame) => joinAnnexB('nalus' in frame ? frame.nalus : [])) : loadLines(codec)
      const units = bytes.map((data, at) =>
        depacketizer
          ? AccessUnit.fromAnnexB(track, at, at, at % 4 === 0, data)
          : AccessUnit.fromData(track, at, at, at % 4 === 0, data),
      )
      const packets = units.flatMap((unit, at) => sent(packetizer.packetize(unit), 3600 * at))
      const [input, output] = [join(folder, `${codec}.rtp`), join(folder, codec)]
      await writeFile(input, serialize(packets))
      const caps = `application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=${codec.toUpperCase()},payload=96`
      const reader = ['filesrc', `location=${input}`, '!', caps, '!', 'rtpstreamdepay', '!', `rtp${codec}depay`]
      const naluFormat = depacketizer ? ['!', `video/x-${codec},${NALU_FORMAT}`] : []
      await runPeer('gst-launch-1.0', ['-q', ...reader, ...naluFormat, '!', 'filesink', `location=${output}`])
      const read = await readFile(output)
      if (!depacketizer) return expect(read).to.deep.equal(Buffer.concat(bytes))
      expect(hexOf(read)).to.deep.equal(hexOf(Buffer.concat(bytes)))
    })
  }
})

function hexOf(annexB: Buffer): string[] {
  return splitAnnexB(annexB).map((nalu) => nalu.toString('hex'))
}
