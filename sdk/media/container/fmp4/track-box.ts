import { fullBox, type Box } from './box.ts'
import { serializeEditList, type Edit } from './boxes/edit-list.ts'
import { uint32 } from './boxes/fields.ts'
import { serializeHandler } from './boxes/handler.ts'
import { serializeMediaHeader } from './boxes/media-header.ts'
import { serializeTrackHeader, type TrackHeader } from './boxes/track-header.ts'
import { languageCodeOf } from '../language.ts'

/** The description of a track in a file, without the places of its samples. */
export type TrackDescription = TrackHeader & {
  /** Ticks a second of the track's times. */
  readonly timescale: number
  /** The language tag (BCP 47); undefined where none is known. */
  readonly language: string | undefined
  /** The entries of `stsd`, in the order of their numbers. */
  readonly entries: readonly Box[]
}

/** The places of a track's samples, as far as its `moov` has them. */
export type TrackSampleTable = {
  /** The boxes of `stbl` besides `stsd`. */
  readonly tables: readonly Box[]
  /** The duration in ticks of the track. */
  readonly mediaDuration: number
  /** The duration in ticks of the movie. */
  readonly movieDuration: number
  /** None where the track begins with its first sample, and with the movie. */
  readonly edits: readonly Edit[]
}

/** The table of a track with all samples in fragments. */
export const NO_SAMPLES: TrackSampleTable = {
  tables: [
    ...['stts', 'stsc', 'stco'].map((type) => fullBox(type, 0, 0, [uint32(0)])),
    fullBox('stsz', 0, 0, [uint32(0, 0)]),
  ],
  mediaDuration: 0,
  movieDuration: 0,
  edits: [],
}

const SELF_CONTAINED = 1
const UNDETERMINED = 'und'

/** `trak` (ISO/IEC 14496-12 8.3.1). */
export function serializeTrack(track: TrackDescription, samples: TrackSampleTable): Box {
  const { timescale, kind } = track
  const { edits, mediaDuration, movieDuration } = samples
  const editBox = edits.length > 0 ? [{ type: 'edts', children: [serializeEditList(edits)] }] : []
  const language = languageCodeOf(track.language) ?? UNDETERMINED
  const mediaHeader = serializeMediaHeader({ timescale, language }, mediaDuration)
  const media = { type: 'mdia', children: [mediaHeader, serializeHandler(kind), mediaInformation(track, samples)] }
  return { type: 'trak', children: [serializeTrackHeader(track, movieDuration), ...editBox, media] }
}

function mediaInformation({ kind, entries }: TrackDescription, { tables }: TrackSampleTable): Box {
  const header = kind === 'video' ? fullBox('vmhd', 0, 1, [Buffer.alloc(8)]) : fullBox('smhd', 0, 0, [Buffer.alloc(4)])
  const reference = fullBox('dref', 0, 0, [uint32(1)], [fullBox('url ', 0, SELF_CONTAINED)])
  const table = { type: 'stbl', children: [fullBox('stsd', 0, 0, [uint32(entries.length)], entries), ...tables] }
  return { type: 'minf', children: [header, { type: 'dinf', children: [reference] }, table] }
}
