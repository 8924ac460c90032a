import { h264ConfigFromParameterSets } from 'sluice/sdk/media'

const SPS = Buffer.from('6764000dacd94141fb011000000300100000030320f1429960', 'hex')
const PPS = Buffer.from('68ebe3cb22c0', 'hex')
const FPS = 25
const VIDEO_TIMESCALE = 12_800
const STEP_TICKS = VIDEO_TIMESCALE / FPS
const SAMPLE_RATE = 8000

/** A plain MP4 of H.264, with a keyframe a second, and A-law, whose samples are bytes; both in chunks of a second. */
export function mp4File({ seconds }: { readonly seconds: number }): Buffer {
  const pictures = Array.from({ length: seconds * FPS }, (_, index) => picture(index % FPS === 0, index))
  const chunks = Array.from({ length: seconds }, (_, second) => ({
    video: Buffer.concat(pictures.slice(second * FPS, (second + 1) * FPS)),
    audio: Buffer.alloc(SAMPLE_RATE, second),
  }))
  const movie = (offset: number) => {
    const offsets = { video: [] as number[], audio: [] as number[] }
    let position = offset
    for (const { video, audio } of chunks) {
      offsets.video.push(position)
      offsets.audio.push(position + video.length)
      position += video.length + audio.length
    }
    return box(
      'moov',
      fullBox('mvhd', u32(0, 0, 1000, seconds * 1000), Buffer.alloc(80)),
      ...[videoTrack(seconds, pictures, offsets.video), audioTrack(seconds, offsets.audio)],
    )
  }
  const head = box('ftyp', Buffer.from('isom'), u32(512))
  const sizeBytes = head.length + movie(0).length + 8
  return Buffer.concat([head, movie(sizeBytes), box('mdat', ...chunks.flatMap(({ video, audio }) => [video, audio]))])
}

/** A slice of one byte of data, which says that it is a keyframe or not. */
function picture(keyframe: boolean, index: number): Buffer {
  const nalu = Buffer.from([keyframe ? 0x65 : 0x41, 0x88, index & 0xff, index >> 8, 1])
  return Buffer.concat([u32(nalu.length), nalu])
}

function videoTrack(seconds: number, pictures: readonly Buffer[], offsets: readonly number[]): Buffer {
  const { record } = h264ConfigFromParameterSets(SPS, PPS)
  const entry = box('avc1', Buffer.alloc(24), u16(320, 240), Buffer.alloc(50), box('avcC', record))
  const syncs = Array.from({ length: seconds }, (_, second) => second * FPS + 1)
  return track(1, 'vide', VIDEO_TIMESCALE, entry, [
    fullBox('stts', u32(1, pictures.length, STEP_TICKS)),
    fullBox('stss', u32(syncs.length, ...syncs)),
    fullBox('stsc', u32(1, 1, FPS, 1)),
    fullBox('stsz', u32(0, pictures.length, ...pictures.map(({ length }) => length))),
    fullBox('stco', u32(offsets.length, ...offsets)),
  ])
}

function audioTrack(seconds: number, offsets: readonly number[]): Buffer {
  const entry = box('alaw', Buffer.alloc(16), u16(1, 16, 0, 0, SAMPLE_RATE, 0))
  return track(2, 'soun', SAMPLE_RATE, entry, [
    fullBox('stts', u32(1, seconds * SAMPLE_RATE, 1)),
    fullBox('stsc', u32(1, 1, SAMPLE_RATE, 1)),
    fullBox('stsz', u32(1, seconds * SAMPLE_RATE)),
    fullBox('stco', u32(offsets.length, ...offsets)),
  ])
}

function track(id: number, handler: string, timescale: number, entry: Buffer, tables: readonly Buffer[]): Buffer {
  const header = fullBox('tkhd', u32(0, 0, id), Buffer.alloc(68))
  const media = fullBox('mdhd', u32(0, 0, timescale, 0), u16(0x55c4, 0))
  const kind = fullBox('hdlr', u32(0), Buffer.from(handler), Buffer.alloc(13))
  const table = box('stbl', fullBox('stsd', u32(1), entry), ...tables)
  return box('trak', header, box('mdia', media, kind, box('minf', table)))
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body])
}

function fullBox(type: string, ...parts: readonly Buffer[]): Buffer {
  return box(type, u32(0), ...parts)
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2)
  return bytes
}
