import { open, type FileHandle } from 'node:fs/promises'

/** The bytes of a recording, to be read anywhere. Calls may be made side by side, unless the implementation excludes that. */
export interface RecordingBytes {
  /** The size when it was opened; bytes that were added since are not read. */
  readonly sizeBytes: number
  /** Gives so many bytes from a place on, fewer where the recording ends before. */
  read(offset: number, sizeBytes: number): Promise<Buffer>
  /** Idempotent. */
  close(): Promise<void>
}

/** A file, of which nothing is kept in memory. */
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
   * @param signal makes reading fail with its reason from then on, so that a search through the file ends
   * @throws {Error} when it can't be read, as `read` does: the system's code, such as `EACCES`, is in its message and its
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
        // The file was made shorter in the meantime.
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

/** Leaves the path out of the system's message: clients that ask for a stream must not see it. */
function unreadable(cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'failed'
  return Object.assign(new Error(`the file can't be read: ${code}`, { cause }), { code })
}
