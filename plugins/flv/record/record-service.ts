import type { Logger } from 'pino'
import type { MediaTrack, RecordingBytes, RecordService, ResumedFile } from 'sluice/sdk'
import { canCarryInFlv, MalformedError } from 'sluice/sdk/media'
import { FlvRecording } from '../pull/flv-recording.ts'
import { lastTagMs } from '../pull/last-tag.ts'
import { TagReader } from '../pull/tag-reader.ts'
import { FlvWriter } from './flv-writer.ts'

/** The duration of the last unit of a file, which FLV does not contain. */
const STEP_MS = 40

/** Records streams as FLV. */
export function createFlvRecords(log: Logger): RecordService {
  return {
    extension: '.flv',
    contentType: 'video/x-flv',
    carries: canCarryInFlv,
    createWriter: (tracks) => new FlvWriter(tracks),
    open: async (bytes) => FlvRecording.open({ bytes, log, lastTagMs: await lastTagMs(bytes) }),
    resume,
    wholeSizeBytes,
  }
}

/** Continues after the last tag of a file that begins like a file of these tracks. */
async function resume(bytes: RecordingBytes, tracks: readonly MediaTrack[]): Promise<ResumedFile | undefined> {
  if (!(await new FlvWriter(tracks).isBeginningOf(bytes))) return undefined
  const { sizeBytes } = bytes
  const lastMs = await lastTagMs(bytes)
  return lastMs === undefined
    ? undefined
    : { writer: new FlvWriter(tracks, sizeBytes), sizeBytes, durationMs: lastMs + STEP_MS }
}

/** The end of the last tag that is complete. */
async function wholeSizeBytes(bytes: RecordingBytes): Promise<number> {
  const reader = new TagReader(bytes)
  try {
    do while (reader.take() !== undefined);
    while (await reader.fill())
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
  }
  return reader.offset
}
