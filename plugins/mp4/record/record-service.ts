import type { MediaTrack, RecordingBytes, RecordService, ResumedFile } from 'sluice/sdk'
import { canCarryInFmp4, createInitSegment, fmp4TrackId, mainTracks, MalformedError } from 'sluice/sdk/media'
import { BoxWalk } from '../file/box-walk.ts'
import { readFragmentIndex } from '../file/fragment-index.ts'
import { Mp4Recording } from '../file/mp4-recording.ts'
import { Mp4Writer } from './mp4-writer.ts'

/** Records streams as fragmented MP4. */
export const MP4_RECORDS: RecordService = {
  extension: '.mp4',
  contentType: 'video/mp4',
  isUsual: true,
  carries: canCarryInFmp4,
  createWriter: (tracks) => new Mp4Writer(tracks),
  open: (bytes, signal) => Mp4Recording.open(bytes, signal, 'as-they-are'),
  resume,
  wholeSizeBytes,
}

/** Continues after the last fragment of a file that has the init segment of the tracks. */
async function resume(bytes: RecordingBytes, tracks: readonly MediaTrack[]): Promise<ResumedFile | undefined> {
  const head = createInitSegment(tracks)
  const main = mainTracks(tracks)[0]
  if (main === undefined || !head.equals(await bytes.read(0, head.length))) return undefined
  const times = await readFragmentIndex(bytes, fmp4TrackId(main))
  const { fragmentsBytes: sizeBytes } = await wholeEnds(bytes)
  const { durationMs } = await Mp4Recording.open(bytes, undefined, 'as-they-are')
  return { writer: new Mp4Writer(tracks, { sizeBytes, times }), sizeBytes, durationMs }
}

/** The end of the last fragment that is complete. */
async function wholeSizeBytes(bytes: RecordingBytes): Promise<number> {
  return (await wholeEnds(bytes)).fileBytes
}

/** The end of the complete part of a file, and of its fragments before a table. */
async function wholeEnds(
  bytes: RecordingBytes,
): Promise<{ readonly fileBytes: number; readonly fragmentsBytes: number }> {
  const walk = new BoxWalk(bytes)
  let fileBytes = 0
  let fragmentsBytes = 0
  try {
    for (let box = await walk.next(); box !== undefined && !box.isCut; box = await walk.next()) {
      // A `moof` is of no use without the `mdat` that follows.
      if (box.type !== 'moof') fileBytes = box.endOffset
      if (box.type !== 'mfra') fragmentsBytes = fileBytes
    }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
  }
  return { fileBytes, fragmentsBytes }
}
