import type { Logger } from 'pino'
import type { RecordingBytes, RecordService } from 'sluice/sdk'
import { canCarryInFlv, MalformedError } from 'sluice/sdk/media'
import { FlvRecording } from '../pull/flv-recording.ts'
import { lastTagMs } from '../pull/last-tag.ts'
import { TagReader } from '../pull/tag-reader.ts'
import { FlvWriter } from './flv-writer.ts'

/** Records streams as FLV. */
export function createFlvRecords(log: Logger): RecordService {
  return {
    extension: '.flv',
    contentType: 'video/x-flv',
    carries: canCarryInFlv,
    createWriter: (tracks) => new FlvWriter(tracks),
    open: async (bytes) => FlvRecording.open({ bytes, log, lastTagMs: await lastTagMs(bytes) }),
    wholeSizeBytes,
  }
}

/** Where the last tag ends that is all there. */
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
