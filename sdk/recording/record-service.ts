import type { AccessUnit } from '../media/access-unit.ts'
import type { MediaTrack, Track } from '../media/track.ts'
import type { Recording } from '../playback/recording.ts'
import type { RecordingBytes } from '../playback/recording-bytes.ts'

/**
 * A container that streams are recorded in. A plugin provides it as `record:` and the type of the recordings, such as
 * `record:mp4`. The server records by the `onpub.record` rules of the plugin's section, the operations of the API, plans and
 * pull proxies; it decides the places of the files, lists them and deletes them.
 */
export interface RecordService {
  /** The extension of its files, with the dot: `.mp4`. */
  readonly extension: string
  /** The media type of its files: `video/mp4`. */
  readonly contentType: string
  /**
   * True for the usual container: recordings without a type are made in it, such as those of pull proxies, and its plugin plays
   * recordings of any type. Default false.
   */
  readonly isUsual?: boolean
  /** Returns true when its files can carry a track. The other tracks are left out, which is logged. */
  carries(track: Track): track is MediaTrack
  /** Begins a file of these tracks: at least one, each of which it carries. */
  createWriter(tracks: readonly MediaTrack[]): RecordingWriter
  /**
   * Reads a file, also one that is still being written or was cut off. The caller closes the bytes.
   * @throws {Error} with the fault of the file in its message, or the signal's reason
   */
  open(bytes: RecordingBytes, signal?: AbortSignal): Promise<Recording>
  /**
   * Continues a file that is complete. Missing in services that can't.
   * @returns undefined when the file has other tracks
   * @throws {Error} when the file can't be read
   */
  resume?(bytes: RecordingBytes, tracks: readonly MediaTrack[]): Promise<ResumedFile | undefined>
  /**
   * Returns the size in bytes of the complete part of a file that was cut off, as by a crash or a full disk; the rest is
   * removed. Without this function, all of the file is kept.
   * @throws {Error} when nothing in it can be played
   */
  wholeSizeBytes?(bytes: RecordingBytes): Promise<number>
}

/**
 * Turns the units of one file into bytes, which are written in the order in which it returns them. Times of the units count
 * from the beginning of the file. It keeps no more than one piece, and may return bytes at any time: they reach the disk
 * piece by piece, each of a group of pictures or a second.
 */
export interface RecordingWriter {
  /** The first bytes of the file. */
  readonly head: Buffer
  /**
   * Takes a unit of one of the tracks; returns the bytes that can be written so far; null when there are none.
   * @throws {Error} for a unit that it can't carry, which is then left out
   */
  write(unit: AccessUnit): Buffer | null
  /**
   * Ends a piece: returns the bytes of the units that were taken and not returned yet.
   * @param next The unit that comes next, by which the last one of its track gets its duration; undefined at the end
   */
  flush(next?: AccessUnit): Buffer | null
  /** Ends the file, after the last `flush`. */
  finish?(): RecordingEnd
}

/** A file that a recording is appended to. */
export type ResumedFile = {
  /** The writer of the second part. Its head comes between the two parts; offsets in `patches` count from the beginning of the file. */
  readonly writer: RecordingWriter
  /** The size of the part that is kept, in bytes; later parts, such as a table, are written again. */
  readonly sizeBytes: number
  /** The duration of that part, in milliseconds: the times of the units continue from there. */
  readonly durationMs: number
}

/** The bytes that complete a file. */
export type RecordingEnd = {
  /** The last bytes of the file. */
  readonly tail?: Buffer
  /** Bytes that replace earlier ones of the same number. */
  readonly patches?: readonly { readonly offset: number; readonly data: Buffer }[]
}
