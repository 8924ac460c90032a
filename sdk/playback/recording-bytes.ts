import { open, type FileHandle } from 'node:fs/promises'

/** The bytes of a recording, for reads at any offset. Reads may run side by side, unless the implementation excludes that. */
export interface RecordingBytes {
  /** The size when it was opened; bytes that were added since are not read. */
  readonly sizeBytes: number
  /** Returns `sizeBytes` bytes from `offset` on, fewer when the recording ends before. */
  read(offset: number, sizeBytes: number): Promise<Buffer>
  /** Ends the use of the bytes. Idempotent. */
  close(): Promise<void>
}

/** The bytes of a file, none of which are kept in memory. */
export class FileBytes implements RecordingBytes {
  readonly sizeBytes: number
  readonly #file: FileHandle
  readonly #signal: AbortSignal | undefined
  #closed: Promise<void> | undefined

  private constructor(file: FileHandle, sizeBytes: number, signal: AbortSignal | undefined) {
    this.#file = file
    this.#signal = signal
    this.sizeBytes = sizeBytes
  }

  /**
   * @param signal once aborted, makes reads fail with its reason, so that a search through the file ends
   * @throws {Error} when the file can't be read, as `read` does: the system's code, such as `EACCES`, is in its message and its
   *   `code`, the path is in neither
   */
  static async open(path: string, signal?: AbortSignal): Promise<FileBytes> {
    signal?.throwIfAborted()
    let file: FileHandle | undefined
    try {
      file = await open(path)
      return new FileBytes(file, (await file.stat()).size, signal)
    } catch (error) {
      await file?.close()
      throw unreadable(error)
    }
  }

  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    this.#signal?.throwIfAborted()
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(sizeBytes, this.sizeBytes - offset)))
    let filled = 0
    try {
      while (filled < bytes.length) {
        const { bytesRead } = await this.#file.read(bytes, filled, bytes.length - filled, offset + filled)
        // The file has become shorter in the meantime.
        if (bytesRead === 0) break
        filled += bytesRead
      }
    } catch (error) {
      throw unreadable(error)
    }
    return bytes.subarray(0, filled)
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#file.close())
  }
}

/** Returns the system's error without the path, which clients that ask for a stream must not see. */
function unreadable(cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'failed'
  return Object.assign(new Error(`the file can't be read: ${code}`, { cause }), { code })
}
