import type { RecordingBytes } from 'sluice/sdk'
import {
  MalformedError,
  MovieLimitError,
  parseMovieFragment,
  type MovieTrack,
  type TrackFragment,
} from 'sluice/sdk/media'
import { BoxWalk, type TopBox } from '../file/box-walk.ts'

const MAX_MOOF_SIZE_BYTES = 16 * 1024 * 1024
/** The most boxes of a file that are read: a day of fragments of a second, and those between them. */
const MAX_BOXES = 200_000

/** A fragment of a file with all its data. */
export type FoundFragment = {
  readonly moof: TopBox
  /** The content of the `moof`. */
  readonly bytes: Buffer
  readonly tracks: readonly TrackFragment[]
}

/**
 * Walks through the fragments of a file without reading their data. When the file is cut off or damaged, as after a power failure, it ends
 * with the last whole one before that.
 * @param offset the offset of the first fragment, or of a box before it
 * @throws {Error} when the file can't be read
 * @throws {MovieLimitError} when it has too many boxes
 */
export async function* walkFragments(
  bytes: RecordingBytes,
  tracks: readonly MovieTrack[],
  offset = 0,
): AsyncGenerator<FoundFragment, void> {
  const walk = new BoxWalk(bytes)
  walk.moveTo(offset)
  try {
    for (let count = 0; count < MAX_BOXES; count++) {
      const box = await walk.next()
      if (box === undefined || box.isCut) return
      if (box.type !== 'moof' || box.endOffset - box.offset > MAX_MOOF_SIZE_BYTES) continue
      const content = await walk.read(box)
      const fragments = parseFragments(content, box.offset, tracks)
      if (!fragments.every((fragment) => isWithin(fragment, bytes.sizeBytes))) return
      yield { moof: box, bytes: content, tracks: fragments }
    }
    throw new MovieLimitError(`a file has more than ${MAX_BOXES} boxes, which is too many for a download`)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
  }
}

/** @throws {MalformedError} when it is malformed */
export function parseFragments(content: Buffer, moofOffset: number, tracks: readonly MovieTrack[]): TrackFragment[] {
  return parseMovieFragment(content, moofOffset, (id) => tracks.find(({ trackId }) => trackId === id)?.defaults)
}

function isWithin({ runs }: TrackFragment, sizeBytes: number): boolean {
  return runs.every(({ offset, samples }) => {
    const end = samples.reduce((sum, sample) => sum + sample.sizeBytes, offset)
    return offset >= 0 && end <= sizeBytes
  })
}
