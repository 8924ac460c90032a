import { open, type FileHandle } from 'node:fs/promises'

/** The bytes of a recording, to be read anywhere. Calls may be made side by side. */
export interface RecordingBytes {
  /** How many there were when it was opened; those that were added since are not read. */
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
  #closed: Promise<void> | undefined

  private constructor(file: FileHandle, sizeBytes: number) {
    this.#file = file
    this.sizeBytes = sizeBytes
  }

  /** @throws {Error} of the system, with the file's path in its message, when it can't be read */
  static async open(path: string): Promise<FileBytes> {
    const file = await open(path)
    try {
      return new FileBytes(file, (await file.stat()).size)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(sizeBytes, this.sizeBytes - offset)))
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await this.#file.read(bytes, filled, bytes.length - filled, offset + filled)
      // The file was made shorter in the meantime.
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#file.close())
  }
}
