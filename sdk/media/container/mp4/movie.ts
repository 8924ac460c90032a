import { MalformedError } from '../../errors.ts'
import { bodyAt, bodyOf, parseBoxes, type ParsedBox } from '../fmp4/box.ts'
import { parseTrackHeader } from '../fmp4/boxes/track-header.ts'
import { parseMovie, type MovieTrack } from '../fmp4/init-segment.ts'
import { SampleTable } from './sample-table.ts'

/** A track of a file, with the places of its samples; those of a fragmented file are in its fragments alone. */
export type Mp4FileTrack = MovieTrack & { readonly table: SampleTable }

/** The contents of a file's `moov`. */
export type Mp4Movie = {
  readonly tracks: readonly Mp4FileTrack[]
  /** Samples lie in fragments, too, or in those alone. */
  readonly isFragmented: boolean
}

/**
 * Parses the content of a `moov` (ISO/IEC 14496-12 8.2.1) of a file. Its tables stay views of these bytes.
 * @throws {MalformedError} when it is broken
 */
export function parseMp4Movie(moov: Buffer): Mp4Movie {
  const boxes = parseBoxes(moov)
  const tables = new Map(boxes.flatMap((box) => (box.type === 'trak' ? [tableOf(box)] : [])))
  const tracks = parseMovie(moov).map((track) => {
    const table = tables.get(track.trackId)
    if (table === undefined) throw new MalformedError('track without tables of its samples')
    return { ...track, table: new SampleTable(table) }
  })
  return { tracks, isFragmented: bodyOf(boxes, 'mvex') !== undefined }
}

/** Returns the number of a track and its sample table. */
function tableOf({ body }: ParsedBox): readonly [number, Buffer | undefined] {
  const header = bodyAt(body, 'tkhd')
  if (header === undefined) throw new MalformedError('track without header')
  return [parseTrackHeader(header).trackId, bodyAt(body, 'mdia', 'minf', 'stbl')]
}
