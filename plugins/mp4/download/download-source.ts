import type { RecordingBytes } from 'sluice/sdk'

/** A fragmented MP4 file that a download is made of. */
export type DownloadSource = {
  /**
   * Opens it; called again whenever it is to be read, and never for many sources at once.
   * @throws {Error} when it can't be read
   */
  open(): Promise<RecordingBytes>
  /** The wall clock at its time 0, in milliseconds since 1970. */
  readonly startMs: number
  /** It begins with the keyframe at this time of the file, or the last one before; default the beginning of the file. */
  readonly fromMs?: number | undefined
  /** The decoding time in the file from which it is left out; default the end of the file. */
  readonly toMs?: number | undefined
}

/** A source that was left out of a download. */
export type LeftOutSource = { readonly source: DownloadSource; readonly reason: Error }
