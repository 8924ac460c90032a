import { audioEntry, box, fullBox, picture, trackBox, u32, videoEntry } from './mp4-boxes.ts'

const FPS = 25
const TIMESCALE = 1000
const STEP_TICKS = TIMESCALE / FPS
const SAMPLE_RATE = 8000
const VIDEO_ID = 1
const AUDIO_ID = 2
const NOT_SYNC = 0x01_0000
/** Flag of `tfhd`: offsets count from the moof. Flags of `trun`: the offset of the data, and of each sample duration, size and flags. */
const BASE_IS_MOOF = 0x02_0000
const RUN_FIELDS = 0x701

type FragmentedFileOptions = {
  readonly seconds: number
  /** The time by which video begins later, by an empty edit. */
  readonly putOffMs?: number
  /** The track with its first sample past the end of the file. */
  readonly lost?: 'video' | 'audio'
  /** The declared size of the first audio samples, which are at the end of the first second. */
  readonly firstAudioBytes?: number
  /** False for fragments without their times. Default true. */
  readonly timed?: boolean
  /** The number of tables of other tracks before that of the video at the end; no tables by default. */
  readonly otherTables?: number
}

type Samples = { readonly id: number; readonly baseDts: number; readonly offset?: number | undefined } & {
  readonly samples: readonly { readonly durationTicks: number; readonly data: Buffer; readonly flags: number }[]
  readonly firstBytes?: number | undefined
}

/** A fragmented MP4 of H.264, with a keyframe a second, and A-law in units of 20 ms; a fragment has a second of both. */
export function fragmentedFile(options: FragmentedFileOptions): Buffer {
  const { seconds, putOffMs = 0, lost, firstAudioBytes, timed = true, otherTables } = options
  const edits =
    putOffMs === 0 ? undefined : box('edts', fullBox('elst', u32(2, putOffMs, 0xffff_ffff, 0x1_0000, 0, 0, 0x1_0000)))
  const tables = [fullBox('stts', u32(0)), fullBox('stsc', u32(0)), fullBox('stsz', u32(0, 0)), fullBox('stco', u32(0))]
  const pieces = [
    box('ftyp', Buffer.from('isom'), u32(512)),
    box(
      'moov',
      fullBox('mvhd', u32(0, 0, TIMESCALE, 0), Buffer.alloc(80)),
      trackBox({
        id: VIDEO_ID,
        handler: 'vide',
        timescale: TIMESCALE,
        entry: videoEntry(),
        tables,
        ...(edits && { edits }),
      }),
      trackBox({ id: AUDIO_ID, handler: 'soun', timescale: SAMPLE_RATE, entry: audioEntry(SAMPLE_RATE), tables }),
      box('mvex', ...[VIDEO_ID, AUDIO_ID].map((id) => fullBox('trex', u32(id, 1, 0, 0, 0)))),
    ),
  ]
  const offsets: number[] = []
  for (let second = 0; second < seconds; second++) {
    offsets.push(sizeOf(pieces))
    const offsetOf = (kind: 'video' | 'audio') => (second === 0 && lost === kind ? 0x7000_0000 : undefined)
    const video = Array.from({ length: FPS }, (_, index) => ({
      durationTicks: STEP_TICKS,
      data: picture(index === 0, second * FPS + index),
      flags: index === 0 ? 0 : NOT_SYNC,
    }))
    const audio = Array.from({ length: 50 }, (_, index) => ({
      durationTicks: SAMPLE_RATE / 50,
      data: Buffer.alloc(SAMPLE_RATE / 50, index),
      flags: 0,
    }))
    const firstBytes = second === 0 ? firstAudioBytes : undefined
    pieces.push(
      fragment(timed, [
        { id: VIDEO_ID, baseDts: second * TIMESCALE, samples: video, offset: offsetOf('video') },
        { id: AUDIO_ID, baseDts: second * SAMPLE_RATE, samples: audio, offset: offsetOf('audio'), firstBytes },
      ]),
    )
  }
  return Buffer.concat(otherTables === undefined ? pieces : [...pieces, fragmentTable(offsets, otherTables)])
}

function fragment(timed: boolean, tracks: readonly Samples[]): Buffer {
  const moof = (dataOffset: number) => {
    let offset = dataOffset
    const fragments = tracks.map((track) => {
      const time = timed ? [fullBox('tfdt', u32(track.baseDts))] : []
      const run = track.samples.map(({ durationTicks, data, flags }, index) =>
        u32(durationTicks, index === 0 ? (track.firstBytes ?? data.length) : data.length, flags),
      )
      const trun = [u32(track.samples.length, track.offset ?? offset), ...run]
      offset += sizeOf(track.samples.map(({ data }) => data))
      return box('traf', flagged('tfhd', BASE_IS_MOOF, u32(track.id)), ...time, flagged('trun', RUN_FIELDS, ...trun))
    })
    return box('moof', fullBox('mfhd', u32(1)), ...fragments)
  }
  const head = moof(moof(0).length + 8)
  return Buffer.concat([head, box('mdat', ...tracks.flatMap(({ samples }) => samples.map(({ data }) => data)))])
}

function fragmentTable(offsets: readonly number[], others: number): Buffer {
  const entries = offsets.flatMap((offset, second) => [second * TIMESCALE, offset])
  const table = (id: number) =>
    fullBox(
      'tfra',
      u32(id, 0, offsets.length),
      ...chunked(entries).map((pair) => Buffer.concat([u32(...pair), Buffer.alloc(3, 1)])),
    )
  const tables = [...Array.from({ length: others }, (_, index) => table(100 + index)), table(VIDEO_ID)]
  return box('mfra', ...tables, fullBox('mfro', u32(sizeOf(tables) + 8 + 16)))
}

function chunked(numbers: readonly number[]): number[][] {
  return numbers.flatMap((_, index) => (index % 2 === 0 ? [numbers.slice(index, index + 2)] : []))
}

function flagged(type: string, flags: number, ...parts: readonly Buffer[]): Buffer {
  return box(type, u32(flags), ...parts)
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}
