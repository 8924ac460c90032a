import { audioEntry, box, fullBox, picture, trackBox, u32, videoEntry } from './mp4-boxes.ts'

const FPS = 25
const VIDEO_TIMESCALE = 12_800
const STEP_TICKS = VIDEO_TIMESCALE / FPS
const SAMPLE_RATE = 8000

/** A plain MP4 of H.264, with a keyframe a second, and A-law with samples of one byte; both in chunks of a second. */
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
      videoTrack(seconds, pictures, offsets.video),
      audioTrack(seconds, offsets.audio),
    )
  }
  const head = box('ftyp', Buffer.from('isom'), u32(512))
  const sizeBytes = head.length + movie(0).length + 8
  return Buffer.concat([head, movie(sizeBytes), box('mdat', ...chunks.flatMap(({ video, audio }) => [video, audio]))])
}

function videoTrack(seconds: number, pictures: readonly Buffer[], offsets: readonly number[]): Buffer {
  const syncs = Array.from({ length: seconds }, (_, second) => second * FPS + 1)
  const tables = [
    fullBox('stts', u32(1, pictures.length, STEP_TICKS)),
    fullBox('stss', u32(syncs.length, ...syncs)),
    fullBox('stsc', u32(1, 1, FPS, 1)),
    fullBox('stsz', u32(0, pictures.length, ...pictures.map(({ length }) => length))),
    fullBox('stco', u32(offsets.length, ...offsets)),
  ]
  return trackBox({ id: 1, handler: 'vide', timescale: VIDEO_TIMESCALE, entry: videoEntry(), tables })
}

function audioTrack(seconds: number, offsets: readonly number[]): Buffer {
  const tables = [
    fullBox('stts', u32(1, seconds * SAMPLE_RATE, 1)),
    fullBox('stsc', u32(1, 1, SAMPLE_RATE, 1)),
    fullBox('stsz', u32(1, seconds * SAMPLE_RATE)),
    fullBox('stco', u32(offsets.length, ...offsets)),
  ]
  return trackBox({ id: 2, handler: 'soun', timescale: SAMPLE_RATE, entry: audioEntry(SAMPLE_RATE), tables })
}
