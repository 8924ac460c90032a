import type { RecordingBytes } from 'sluice/sdk'
import { MalformedError, parseMp4Movie, type Mp4Movie } from 'sluice/sdk/media'
import { BoxWalk } from './box-walk.ts'
import { inTurns } from './turns.ts'

/** The tables of several days; they are kept in memory. */
const MAX_MOVIE_SIZE_BYTES = 256 * 1024 * 1024
/** The most boxes that are read before the `moov`. */
const MAX_BOXES_BEFORE_MOVIE = 10_000

/**
 * Finds and reads the `moov` of a file, anywhere in it.
 * @throws {Error} with the defect of the file, or the reason of the signal's abort
 */
export async function readMovie(bytes: RecordingBytes, signal?: AbortSignal): Promise<Mp4Movie> {
  const walk = new BoxWalk(bytes)
  try {
    for (let count = 0; count < MAX_BOXES_BEFORE_MOVIE; count++) {
      const box = await walk.next()
      if (box === undefined) break
      if (box.type !== 'moov') continue
      const sizeBytes = box.endOffset - box.offset
      if (box.isCut) throw new Error('the file is cut off within its moov box, which says where its media lies')
      if (sizeBytes > MAX_MOVIE_SIZE_BYTES) throw new Error(`the moov box of the file has ${sizeBytes} bytes, too many`)
      const movie = parseMp4Movie(await walk.read(box))
      await inTurns(prepare(movie), signal)
      return movie
    }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new Error(`the file is damaged, or no MP4: ${error.message}`, { cause: error })
  }
  throw new Error('the file has no moov box: it is no MP4, or was not finished when it was written')
}

/** Prepares the tables of the tracks that can be played. */
function* prepare({ tracks }: Mp4Movie): Generator<void> {
  for (const { table, format } of tracks) if (format !== undefined) yield* table.prepare()
}
