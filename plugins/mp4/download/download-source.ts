import type { RecordingBytes } from 'sluice/sdk'

/** A fragmented MP4 file that a download is made of. */
export type DownloadSource = {
  /**
   * Opens it, which is done anew whenever it is to be read, and never for many sources at once.
   * @throws {Error} when it can't be read
   */
  open(): Promise<RecordingBytes>
  /** What the wall showed at its time 0, in milliseconds since 1970. */
  readonly startMs: number
  /** Takes it from the keyframe at this time of the file on, or from the last one before; from its beginning unless given. */
  readonly fromMs?: number | undefined
  /** Leaves out what is decoded from this time of the file on. */
  readonly toMs?: number | undefined
}

/** A source that a download goes without. */
export type LeftOutSource = { readonly source: DownloadSource; readonly reason: Error }
