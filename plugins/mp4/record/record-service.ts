import type { RecordingBytes, RecordService } from 'sluice/sdk'
import { canCarryInFmp4, MalformedError } from 'sluice/sdk/media'
import { BoxWalk } from '../file/box-walk.ts'
import { Mp4Recording } from '../file/mp4-recording.ts'
import { Mp4Writer } from './mp4-writer.ts'

/** Records streams as fragmented MP4. */
export const MP4_RECORDS: RecordService = {
  extension: '.mp4',
  contentType: 'video/mp4',
  carries: canCarryInFmp4,
  createWriter: (tracks) => new Mp4Writer(tracks),
  open: (bytes, signal) => Mp4Recording.open(bytes, signal, 'as-they-are'),
  wholeSizeBytes,
}

/** Where the last fragment ends that is all there. */
async function wholeSizeBytes(bytes: RecordingBytes): Promise<number> {
  const walk = new BoxWalk(bytes)
  let wholeBytes = 0
  try {
    for (let box = await walk.next(); box !== undefined && !box.isCut; box = await walk.next()) {
      // A `moof` is of no use without the `mdat` that follows.
      if (box.type !== 'moof') wholeBytes = box.endOffset
    }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
  }
  return wholeBytes
}
