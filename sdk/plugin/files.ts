import type { RecordingBytes } from '../playback/recording-bytes.ts'

/** Bytes that take the place of others in a file. */
export type FilePatch = { readonly offset: number; readonly data: Buffer }

/** Writes a file piece by piece. A write that fails, as on a full disk, ends it: it is then cut to the pieces that are whole. */
export interface FileWriter {
  /** The bytes that are in the file. */
  readonly sizeBytes: number
  /** The bytes that it will have once all is written. */
  readonly endBytes: number
  /** The error that ended it, with the system's code, such as `ENOSPC`; undefined while there is none. */
  readonly error: Error | undefined
  /**
   * Adds a piece, which readers of the closed file find whole or not at all.
   * @returns a promise where too much waits: it resolves when there is room, or the file has failed
   */
  append(piece: readonly Buffer[]): Promise<void> | undefined
  /** Writes the pieces that wait, and the patches over earlier bytes; then closes the file. Never rejects: see `error`. Idempotent. */
  close(patches?: readonly FilePatch[]): Promise<void>
}

/** A new file: its path, which may have a number that the wanted path has not, and its writer. */
export type CreatedFile = { readonly filePath: string; readonly writer: FileWriter }

/** The usage of a disk. */
export type DiskUsage = { readonly usedPercent: number; readonly freeBytes: number }

/** A file that could not be made or written, with the path on this machine; for the log. */
export type WriteFailure = { readonly file: string; readonly code: string }

/**
 * Files below a folder of this machine. Paths are below it, with `/` between their parts; none leads out of it.
 *
 * All functions reject with {@link InvalidRequest} for a path that would lead elsewhere, or that no file can have. They
 * reject with a {@link SluiceError} of the code `STORAGE_MISSING` while the folder is missing, as where its disk is not
 * mounted, so that no file counts as gone then; its `advice` is for the log. Other errors have the system's code, such as
 * `ENOSPC`, in their `code`.
 */
export interface FileStorage {
  /** The folder on this machine: for the log. */
  readonly root: string
  /** Writes a whole file, with its folders, in place of one that is there. Readers never see it in part; no error has its path in it. */
  write(path: string, bytes: Uint8Array): Promise<void>
  /**
   * Opens a file; its bytes are the caller's to close. One that is not there is `ENOENT`.
   * @param signal makes reading fail once it aborts
   */
  read(path: string, signal?: AbortSignal): Promise<RecordingBytes>
  /** Deletes a file, and the folders that are empty then. One that is gone already is no error. */
  remove(path: string): Promise<void>
  /**
   * Makes a file that is not there yet, with its folders, to be written piece by piece.
   * @param path without its ending
   * @param ending the ending; for a path that is taken, a number goes before it: `a.mp4`, `a-2.mp4`
   * @param claim called with a path before the file is made; false where the path is taken although no such file is here
   */
  create(path: string, ending: string, claim?: (filePath: string) => Promise<boolean>): Promise<CreatedFile>
  /** Returns the path of a file on this machine, for other programs; the file need not be there. */
  pathOf(path: string): string
  /** Opens a file that is there to write on from `sizeBytes`; bytes beyond that are cut away. */
  extend(path: string, sizeBytes: number): Promise<FileWriter>
  /** The size of a file; undefined where there is none. */
  sizeOf(path: string): Promise<number | undefined>
  /** Returns the usage of its disk. A folder that is not there yet counts as the one in which it will be. */
  usage(): Promise<DiskUsage>
  /** Checks that the folder is there. */
  look(): Promise<void>
  /** Makes a file and deletes it, to see whether the folder can be written. */
  probe(): Promise<void>
  /** Calls `listener` each time a file could not be made, or not be written as a whole. @returns a function that stops that */
  onFailure(listener: (failure: WriteFailure) => void): () => void
}

/** Files below `global.storage.local.path`, the folder of recordings and pictures, which all plugins share. They stay when the plugin goes. */
export interface Files extends FileStorage {
  /** The files below `global.storage.local.backuppath`, for when the disk is full; undefined where there is no such folder. */
  readonly backup: FileStorage | undefined
  /**
   * Moves a file to the backup, which may be on another disk. Where that fails, it is where it was.
   * @throws {Error} there is no backup
   */
  moveToBackup(path: string): Promise<void>
}
