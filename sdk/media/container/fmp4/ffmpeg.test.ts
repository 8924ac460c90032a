import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { framemd5 } from '../../../../test/peers/ffmpeg.ts'
import type { PublishInit } from '../../../../test/peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from '../../../../test/peers/ffprobe.ts'
import { runPeer } from '../../../../test/peers/process.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import type { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { makeUnits, movedUnits } from '../mpegts/fixtures/units.ts'
import { serializeEventMessage } from './event-message.ts'
import { makeMediaUnits } from './fixtures/media.ts'
import { FragmentWriter } from './fragment-writer.ts'
import { createInitSegment } from './init-segment.ts'

type Stream = { readonly tracks: readonly Track[]; readonly units: readonly AccessUnit[] }

const G711 = { sampleRate: 8000, channels: 1 }

/** Sources that `makeUnits` makes, and those of `makeMediaUnits`. */
const SOURCES: readonly (readonly [
  name: string,
  file: string,
  init: Omit<PublishInit, 'url'>,
  codecs: readonly string[],
])[] = [
  ['H.264 with B-frames and AAC', 'a.flv', { video: { bFrames: 2 } }, ['h264', 'aac']],
  ['23.976 frames a second', 'b.flv', { video: { fps: '24000/1001' } }, ['h264', 'aac']],
  ['H.265', 'c.ts', { video: { encoder: 'libx265', bFrames: 2 } }, ['hevc', 'aac']],
  ['MP3', 'd.flv', { video: false, audio: { encoder: 'libmp3lame' } }, ['mp3']],
  ['AC-3', 'e.ts', { audio: { encoder: 'ac3' } }, ['h264', 'ac3']],
  ['E-AC-3', 'f.ts', { audio: { encoder: 'eac3' } }, ['h264', 'eac3']],
  ['Opus', 'g.ts', { audio: { encoder: 'libopus', sampleRate: 48_000 } }, ['h264', 'opus']],
  ['A-law', 'h.flv', { video: false, audio: { encoder: 'pcm_alaw', ...G711 } }, ['pcm_alaw']],
  ['µ-law', 'i.flv', { video: false, audio: { encoder: 'pcm_mulaw', ...G711 } }, ['pcm_mulaw']],
]
const MEDIA_SOURCES = [
  ['av1', 'j.mp4'],
  ['vp9', 'k.webm'],
  ['flac', 'l.mkv'],
] as const

/** Init segment and fragments of at most so many units; each knows what comes next. */
function fragmented({ tracks, units }: Stream, unitsPerFragment: number): Buffer {
  const writer = new FragmentWriter(tracks)
  const parts = [createInitSegment(tracks)]
  for (const [index, unit] of units.entries()) {
    const fragment = index % unitsPerFragment === 0 ? writer.flush(unit) : null
    if (fragment) parts.push(fragment.data)
    writer.write(unit)
  }
  return Buffer.concat([...parts, writer.flush()!.data])
}

const hashesOf = async (file: string) => (await framemd5(file)).map(({ md5 }) => md5).toSorted()

describe('fMP4 with ffmpeg', function () {
  this.timeout(30_000)
  let folder: string
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  async function write(name: string, bytes: Buffer): Promise<string> {
    const file = join(folder, name)
    await writeFile(file, bytes)
    return file
  }

  /** Decodes to the source's frames, at the units' times, in fragments of one unit and of many. */
  async function expectSame(source: string, stream: Stream, codecs: readonly string[]): Promise<void> {
    const wanted = await hashesOf(source)
    expect(wanted.length).to.be.greaterThan(15)
    for (const count of [1, 30]) {
      const file = await write(`fragmented-${count}.mp4`, fragmented(stream, count))
      expect((await ffprobeStreams(file)).map(({ codec }) => codec)).to.have.members(codecs)
      expect(await hashesOf(file)).to.deep.equal(wanted)
      await expectPackets(file, stream)
    }
  }

  async function expectPackets(file: string, { units }: Stream): Promise<void> {
    const packets = await ffprobePackets(file)
    for (const kind of ['video', 'audio'] as const) {
      const written = units.filter(({ track }) => track.kind === kind)
      const found = packets.filter((packet) => packet.kind === kind)
      expect(found.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(written.map(({ data }) => data.length))
      for (const [index, { dts, pts, keyframe, track }] of written.entries()) {
        // Audio may lie a little off, for the sake of exact durations.
        expect(found[index]!.dtsMs).to.be.closeTo((dts / track.timescale) * 1000, 2)
        expect(found[index]!.ptsMs).to.be.closeTo((pts / track.timescale) * 1000, 2)
        expect(found[index]!.keyframe).to.equal(keyframe)
      }
    }
  }

  for (const [name, file, init, codecs] of SOURCES) {
    it(`decodes to exactly the frames of the source: ${name}`, async () => {
      const source = join(folder, file)
      await expectSame(source, await makeUnits(source, init), codecs)
    })
  }

  for (const [codec, file] of MEDIA_SOURCES) {
    it(`decodes to exactly the frames of the source: ${codec}`, async () => {
      const source = join(folder, file)
      await expectSame(source, await makeMediaUnits(source, codec), [codec])
    })
  }

  it('goes on past 33 bits of 90 kHz, and with event messages between fragments', async () => {
    const source = join(folder, 'late.flv')
    const stream = movedUnits(await makeUnits(source, { video: { bFrames: 2 } }), 2 ** 33 - 90_000)
    const event = serializeEventMessage({
      schemeIdUri: 'https://aomedia.org/emsg/ID3',
      value: '',
      timescale: 90_000,
      presentationTime: 2 ** 33,
      eventDuration: 0,
      id: 1,
      messageData: Buffer.from('ID3'),
    })
    const init = createInitSegment(stream.tracks)
    const fragments = fragmented(stream, 30).subarray(init.length)
    const file = await write('late.mp4', Buffer.concat([init, event, fragments]))
    expect(await hashesOf(file)).to.deep.equal(await hashesOf(source))
    await expectPackets(file, stream)
  })

  it('writes nothing that ffmpeg complains of', async () => {
    const stream = await makeUnits(join(folder, 'quiet.flv'), { video: { bFrames: 2 } })
    const file = await write('quiet.mp4', fragmented(stream, 7))
    const output = await runPeer('sh', ['-c', 'ffmpeg -v warning -nostdin -i "$0" -c copy -f null - 2>&1', file])
    expect(output.toString()).to.equal('')
  })
})
