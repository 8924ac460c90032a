import type { RecordingBytes } from '../playback/recording-bytes.ts'

/**
 * Files below `global.storage.local.path`, the folder of recordings and pictures, which all plugins share. Paths are below it, with `/`
 * between their parts; none leads out of it. They stay when the plugin goes.
 *
 * All functions reject with {@link InvalidRequest} for a path that would lead elsewhere, or that no file can have; with a
 * {@link SluiceError} of the code `STORAGE_MISSING` while the folder is missing, as where its disk is not mounted, so that no file counts
 * as gone then; and with an error that has the system's code, such as `ENOSPC`, in its message and its `code`, but no path of the machine.
 */
export interface Files {
  /** Writes a whole file, with its folders, in place of one that is there. Nobody ever sees it in part. */
  write(path: string, bytes: Uint8Array): Promise<void>
  /**
   * Opens a file; its bytes are the caller's to close. One that is not there is `ENOENT`.
   * @param signal has reading fail once it aborts
   */
  read(path: string, signal?: AbortSignal): Promise<RecordingBytes>
  /** Deletes a file, and the folders that are empty then. One that is gone already is no error. */
  remove(path: string): Promise<void>
}
