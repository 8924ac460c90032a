import { SluiceError, StreamUnavailable, type RecordingBytes } from 'sluice/sdk'
import type { DownloadSource } from './download-source.ts'

/** The error codes of file systems and buckets for a missing file. */
const GONE = new Set<unknown>(['ENOENT', 'NoSuchKey'])

/**
 * Opens a source, and distinguishes failures to read it, which may pass, from defects of the file; so do its reads.
 * @throws {StreamUnavailable} when it can't be read at present
 * @throws {SluiceError} of another kind, as `open` throws it
 * @throws {Error} when it is gone
 */
export async function openSource(source: DownloadSource): Promise<RecordingBytes> {
  const bytes = await told(source.open())
  return {
    sizeBytes: bytes.sizeBytes,
    read: (offset, sizeBytes) => told(bytes.read(offset, sizeBytes)),
    close: () => bytes.close(),
  }
}

async function told<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && GONE.has(error.code)
    if (isGone || error instanceof SluiceError) throw error
    throw new StreamUnavailable('a recording cannot be read at present', { cause: error })
  }
}
