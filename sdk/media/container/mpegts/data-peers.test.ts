import { readFile, writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { runPeer } from '../../../../test/peers/process.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { AccessUnit } from '../../access-unit.ts'
import type { DataTrack } from '../../track.ts'
import { B_FRAMES, ffmpegComplaints, inSharedFolder, writeMuxed } from '../fixtures/sources.ts'
import { TS_SYNCHRONOUS_KLV } from './data-entry.ts'
import { spliceInsert, spliceTicksOf } from './fixtures/splice-info.ts'
import { demuxTs, movedUnits, muxTs } from './fixtures/units.ts'

const KLV_KEY = Buffer.from('060e2b34020b01010e01030101000000', 'hex')
const START_TICKS = 900_000
/** What videos of GStreamer are made by; the rest of the line goes to `mux`. */
const GSTREAMER_VIDEO =
  'videotestsrc num-buffers=60 ! video/x-raw,framerate=25/1,width=320,height=240 ! x264enc key-int-max=25 bframes=0 ! h264parse ! queue ! mux.'

/** KLV with a time stamp (MISB ST 0601, item 2). */
function klv(index: number): Buffer {
  const value = Buffer.alloc(8)
  value.writeUInt32BE(index, 4)
  return Buffer.concat([KLV_KEY, Buffer.of(10, 2, 8), value])
}

/** Pictures and sound with data ten times a second. */
async function muxedWithData(track: DataTrack): Promise<{ bytes: Buffer; sent: Buffer[] }> {
  const { tracks, units } = movedUnits(await B_FRAMES.read(), START_TICKS)
  const sent = Array.from({ length: 20 }, (_, index) =>
    track.codec === 'klv' ? klv(index) : spliceInsert(90_000 + index),
  )
  const data = sent.map((bytes, index) => {
    const ticks = START_TICKS + index * 9000
    return AccessUnit.fromData(track, ticks, ticks, true, bytes)
  })
  const all = [...units, ...data].toSorted((one, other) => one.dts - other.dts)
  return { bytes: muxTs([...tracks, track], all), sent }
}

function dataTrack(codec: 'klv' | 'scte35', record: Buffer = Buffer.alloc(0)): DataTrack {
  return { id: 2, kind: 'data', codec, timescale: 90_000, config: { record, codecString: '' } }
}

const TRACKS = [
  { name: 'KLV', file: 'klv', track: dataTrack('klv'), codec: 'klv' },
  { name: 'synchronous KLV', file: 'sync-klv', track: dataTrack('klv', TS_SYNCHRONOUS_KLV), codec: 'klv' },
  { name: 'SCTE 35', file: 'scte35', track: dataTrack('scte35'), codec: 'scte_35' },
]

describe('data in MPEG-TS with ffmpeg', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  for (const { name, file, track, codec } of TRACKS) {
    it(`is seen as what it is: ${name}`, async () => {
      const { bytes } = await muxedWithData(track)
      const path = writeMuxed(`${file}.ts`, bytes)
      // It says each time that it has no decoder for data, so `ffprobeStreams` would take it for a failure.
      const output = await runPeer('ffprobe', ['-v', 'error', '-of', 'json', '-show_streams', path])
      const { streams } = JSON.parse(output.toString()) as { streams: readonly { readonly codec_name: string }[] }
      const codecs = streams.map((stream) => stream.codec_name)
      expect(codecs).to.eql(['h264', 'aac', codec])
      expect(await ffmpegComplaints(path)).to.equal('')
    })

    it(`is read bit by bit: ${name}`, async () => {
      const { bytes, sent } = await muxedWithData(track)
      const path = writeMuxed(`${file}-data.ts`, bytes)
      const copied = await runPeer('ffmpeg', [
        '-v',
        'error',
        '-i',
        path,
        '-map',
        '0:d',
        '-c',
        'copy',
        '-f',
        'data',
        '-',
      ])
      const times = track.codec === 'scte35' && splicesOf(copied).map((section) => spliceTicksOf(section))
      if (times) expect(times).to.eql(sent.map((_, index) => START_TICKS + 18_000 + 90_000 + index * 9001))
      else expect(copied).to.deep.equal(Buffer.concat(sent))
    })
  }

  it('is read of what ffmpeg writes', async () => {
    const { bytes, sent } = await muxedWithData(dataTrack('klv'))
    const from = writeMuxed('klv-to-copy.ts', bytes)
    const to = inSharedFolder('klv-copied.ts')
    await runPeer('ffmpeg', ['-v', 'error', '-y', '-i', from, '-map', '0', '-c', 'copy', to])
    const read = demuxTs([await readFile(to)])
    expect(read.tracks.map(({ codec }) => codec)).to.have.members(['h264', 'aac', 'klv'])
    const units = read.units.filter(({ track }) => track.codec === 'klv')
    expect(units.map(({ data }) => data)).to.deep.equal(sent)
    // It leaves out the times of data, which then has those of pictures.
    const pictures = read.units.filter(({ track }) => track.codec === 'h264')
    for (const [index, { pts }] of units.entries()) {
      expect(pts - pictures[0]!.dts).to.be.within(index * 9000 - 2 * 3600, index * 9000 + 3600)
    }
  })
})

/** Sections that follow each other. */
function splicesOf(bytes: Buffer): Buffer[] {
  const sections: Buffer[] = []
  for (let offset = 0; offset < bytes.length;) {
    const end = offset + 3 + (bytes.readUInt16BE(offset + 1) & 0xfff)
    sections.push(bytes.subarray(offset, end))
    offset = end
  }
  return sections
}

describe('data in MPEG-TS with GStreamer', () => {
  before(function () {
    requirePeer(this, 'gstreamer')
  })

  async function made(name: string, mux: string, more: string): Promise<Buffer> {
    const file = inSharedFolder(name)
    const line = `mpegtsmux name=mux ${mux} ! filesink location=${file} ${GSTREAMER_VIDEO} ${more}`
    await runPeer('gst-launch-1.0', ['-q', ...line.split(' ').filter((word) => word !== '')])
    return readFile(file)
  }

  it('is read of what it writes: SCTE 35', async () => {
    const read = demuxTs([await made('gst-scte35.ts', 'scte-35-pid=500 scte-35-null-interval=45000', '')])
    expect(read.tracks.map(({ codec }) => codec)).to.eql(['h264', 'scte35'])
    const splices = read.units.filter(({ track }) => track.codec === 'scte35')
    expect(splices).to.have.length.within(4, 6)
    // `splice_null` of a clock that begins at 0.
    for (const { data, dts } of splices) expect((spliceAdjustmentOf(data) + dts) % 2 ** 33).to.equal(0)
  })

  it('is read of what it writes: KLV', async () => {
    const sent = Array.from({ length: 20 }, (_, index) => klv(index))
    for (const [index, bytes] of sent.entries()) await writeFile(inSharedFolder(`gst-${100 + index}.klv`), bytes)
    const source = `multifilesrc location=${inSharedFolder('gst-%03d.klv')} index=100 stop-index=119`
    const caps = 'caps=meta/x-klv,parsed=true do-timestamp=true ! queue ! mux.'
    const read = demuxTs([await made('gst-klv.ts', '', `${source} ${caps}`)])
    const units = read.units.filter(({ track }) => track.codec === 'klv')
    expect(units.map(({ data }) => data)).to.deep.equal(sent)
  })

  it('reads what is written: KLV', async () => {
    // Synchronous KLV is known to it from version 1.24 on.
    const { bytes, sent } = await muxedWithData(dataTrack('klv'))
    const path = writeMuxed('klv-for-gst.ts', bytes)
    const out = inSharedFolder('klv-of-gst.out')
    const line = `-q filesrc location=${path} ! tsdemux name=d d. ! meta/x-klv ! filesink location=${out}`
    await runPeer('gst-launch-1.0', line.split(' '))
    expect(await readFile(out)).to.deep.equal(Buffer.concat(sent))
  })
})

function spliceAdjustmentOf(section: Buffer): number {
  return (section[4]! & 1) * 2 ** 32 + section.readUInt32BE(5)
}
