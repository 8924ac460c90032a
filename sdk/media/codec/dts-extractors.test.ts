import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { makeMediaFile } from '../../../test/support/media-file.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { BitReader } from '../bits/bit-reader.ts'
import { BitWriter } from '../bits/bit-writer.ts'
import { insertEmulationPrevention, removeEmulationPrevention } from '../bits/emulation-prevention.ts'
import { inSharedFolder } from '../container/fixtures/sources.ts'
import { RecordingSink } from '../container/flv/fixtures/recording-sink.ts'
import { TsDemuxer } from '../container/mpegts/demuxer.ts'
import type { AccessUnit } from '../access-unit.ts'
import type { VideoTrack } from '../track.ts'
import { H264DtsExtractor } from './h264/dts-extractor.ts'
import { parseAvcDecoderConfigurationRecord } from './h264/avc-decoder-configuration-record.ts'
import { H265DtsExtractor } from './h265/dts-extractor.ts'
import { fuzz } from './test/fuzz.ts'

const EXTRACTORS = { libx264: H264DtsExtractor, libx265: H265DtsExtractor } as const
type Encoder = keyof typeof EXTRACTORS

const COMMON = 'keyint=20:scenecut=0'
const ENCODES: readonly [encoder: Encoder, options: string, depth: number][] = [
  ['libx264', 'bframes=0', 0],
  ['libx264', 'bframes=1:b-adapt=0', 1],
  ['libx264', 'bframes=2:b-adapt=0:b-pyramid=none', 1],
  ['libx264', 'bframes=3:b-adapt=0:b-pyramid=normal', 2],
  ['libx264', 'bframes=4:b-adapt=0:b-pyramid=strict', 2],
  ['libx264', 'bframes=3:b-adapt=0:open-gop=1', 2],
  ['libx264', 'bframes=2:b-adapt=0:intra-refresh=1', 2],
  ['libx264', 'bframes=3:b-adapt=0:interlaced=1', 2],
  ['libx265', 'bframes=0', 0],
  ['libx265', 'bframes=2:b-adapt=0:b-pyramid=0:open-gop=0', 1],
  ['libx265', 'bframes=4:b-adapt=0:open-gop=0', 2],
  ['libx265', 'bframes=4:b-adapt=0:open-gop=1', 2],
]

describe('DTS extractors', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  for (const [encoder, options, depth] of ENCODES) {
    it(`find the times that ${encoder} gave its pictures: ${options}`, async () => {
      const { track, units } = await encode(encoder, options)
      const extractor = new EXTRACTORS[encoder](track)
      expect(units.map((unit) => extractor.push(unit.nalus, unit.pts))).to.eql(units.map(({ dts }) => dts))
      expect(extractor.reorderDepth).to.equal(depth)
    })

    it(`find times in order though pictures are lost: ${encoder} ${options}`, async () => {
      const { track, units } = await encode(encoder, options)
      const extractor = new EXTRACTORS[encoder](track)
      const left = units.filter((_unit, index) => index % 7 !== 3 && (index < 25 || index > 29))
      expectOrder(
        left,
        left.map((unit) => extractor.push(unit.nalus, unit.pts)),
      )
      expect(extractor.reorderDepth).to.equal(depth)
    })

    if (encoder === 'libx265' || options.includes('interlaced')) continue
    it(`follow the order counts where the SPS says nothing: ${options}`, async () => {
      const { track, units } = await encode(encoder, options)
      const silent = withoutVui(track)
      const extractor = new H264DtsExtractor(silent)
      const found = units.map((unit) => extractor.push(unit.nalus, unit.pts))
      expectOrder(units, found)
      // That pictures are to come does not tell in which order they will.
      expect(extractor.reorderDepth).to.be.within(depth, depth + 1)
      const late = units.slice(10).map(({ dts }, index) => (dts - found[index + 10]!) / 3600)
      expect(new Set(late)).to.eql(new Set([extractor.reorderDepth - depth]))
    })
  }

  it('take up what another SPS says, in a unit or in a configuration', async () => {
    const flat = await encode('libx264', 'bframes=0')
    const deep = await encode('libx264', 'bframes=3:b-adapt=0:b-pyramid=normal')
    const extractor = new H264DtsExtractor(flat.track)
    for (const unit of flat.units) extractor.push(unit.nalus, unit.pts)
    extractor.configure(deep.track)
    expect(extractor.reorderDepth).to.equal(2)
    extractor.push([...spsOf(flat.track), ...flat.units[0]!.nalus], 10_000_000)
    expect(extractor.reorderDepth).to.equal(0)
  })

  it('take any bytes', async () => {
    for (const encoder of ['libx264', 'libx265'] as const) {
      const { track, units } = await encode(encoder, 'bframes=0')
      const tracks = encoder === 'libx264' ? [track, withoutVui(track)] : [track]
      for (const each of tracks) {
        const extractor = new EXTRACTORS[encoder](each)
        let pts = 0
        const seeds = [...units.slice(0, 8).map(({ nalus }) => nalus.at(-1)!.subarray(0, 40)), ...spsOf(each)]
        fuzz(seeds, (nalu) => expect(Number.isFinite(extractor.push([nalu], (pts += 3600)))).to.equal(true))
      }
    }
  })
})

type Encoded = { readonly track: VideoTrack; readonly units: readonly AccessUnit[] }
const encoded = new Map<string, Promise<Encoded>>()

function encode(encoder: Encoder, options: string): Promise<Encoded> {
  const known = encoded.get(encoder + options)
  if (known !== undefined) return known
  const made = make(encoder, options, inSharedFolder(`dts-${encoded.size}.ts`))
  encoded.set(encoder + options, made)
  return made
}

async function make(encoder: Encoder, options: string, file: string): Promise<Encoded> {
  const params = encoder === 'libx264' ? '-x264-params' : '-x265-params'
  const quiet = encoder === 'libx264' ? '' : ':log-level=error'
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=160x128:rate=25', '-frames:v', '60', '-pix_fmt', 'yuv420p']
  const video = ['-c:v', encoder, '-preset', 'ultrafast', params, `${COMMON}:${options}${quiet}`]
  await makeMediaFile(file, [...source, ...video])
  const sink = new RecordingSink()
  const demuxer = new TsDemuxer(sink)
  demuxer.push(await readFile(file))
  demuxer.flush()
  expect(sink.units).to.have.length(60)
  return { track: sink.tracks[0] as VideoTrack, units: sink.units }
}

function expectOrder(units: readonly AccessUnit[], found: readonly number[]): void {
  for (const [index, dts] of found.entries()) {
    expect(dts, `picture ${index}`).to.be.at.most(units[index]!.pts)
    if (index > 0) expect(dts, `picture ${index}`).to.be.above(found[index - 1]!)
  }
}

function spsOf({ codec, config }: VideoTrack): readonly Buffer[] {
  return codec === 'h264' ? parseAvcDecoderConfigurationRecord(config.record).sps : []
}

/** A track of H.264 High whose SPS ends where it would say how pictures are ordered. */
function withoutVui(track: VideoTrack): VideoTrack {
  const [sps] = spsOf(track)
  const clean = removeEmulationPrevention(sps!)
  const head = clean.subarray(0, vuiPosition(clean) >> 3)
  const writer = new BitWriter()
  const bits = new BitReader(clean)
  for (let left = vuiPosition(clean); left > 0; left--) writer.writeFlag(bits.readFlag())
  for (const flag of [false, true]) writer.writeFlag(flag)
  const short = insertEmulationPrevention(writer.toBuffer())
  expect(short.subarray(0, head.length)).to.eql(head)
  const record = Buffer.from(track.config.record)
  const start = record.indexOf(sps!)
  const changed = Buffer.concat([record.subarray(0, start), short, record.subarray(start + sps!.length)])
  changed.writeUInt16BE(short.length, start - 2)
  return { ...track, config: { ...track.config, record: changed } }
}

/** The position in bits of vui_parameters_present_flag (ISO/IEC 14496-10 7.3.2.1.1) of what libx264 writes. */
function vuiPosition(clean: Buffer): number {
  const bits = new BitReader(clean)
  bits.skipBits(8)
  const high = bits.readBits(8) >= 100
  bits.skipBits(16)
  bits.readUe()
  if (high) {
    for (let left = 3; left > 0; left--) bits.readUe()
    bits.skipBits(2)
  }
  bits.readUe()
  if (bits.readUe() === 0) bits.readUe()
  bits.readUe()
  bits.skipBits(1)
  for (let left = 2; left > 0; left--) bits.readUe()
  if (!bits.readFlag()) bits.skipBits(1)
  bits.skipBits(1)
  if (bits.readFlag()) for (let left = 4; left > 0; left--) bits.readUe()
  return bits.position
}
