import type { FileHandle } from 'node:fs/promises'
import type { FilePatch, FileWriter } from '../../plugin/files.ts'
import type { WorkQueue } from '../../plugin/work-queue.ts'

/** `append` returns a promise while more than this waits to be written. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** The most buffers of one system call (IOV_MAX). */
const MAX_BUFFERS = 1024

/** The system's file, as far as it is written. */
export type WritableFile = Pick<FileHandle, 'writev' | 'write' | 'truncate' | 'datasync' | 'close'>

/**
 * Writes a file piece by piece. What fails, as on a full disk, ends it: it is then cut to the pieces that are whole.
 */
export class StoredFileWriter implements FileWriter {
  readonly #file: WritableFile
  readonly #writes: WorkQueue
  #waiting: (readonly Buffer[])[] = []
  #waitingBytes = 0
  /** The size of the pieces that the file has whole, in bytes. */
  #sizeBytes: number
  #working: Promise<void> | undefined
  #error: Error | undefined
  #closed: Promise<void> | undefined

  constructor(file: WritableFile, writes: WorkQueue, sizeBytes = 0) {
    this.#file = file
    this.#writes = writes
    this.#sizeBytes = sizeBytes
  }

  /** The bytes that are in the file. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The bytes that it will have once all is written. */
  get endBytes(): number {
    return this.#sizeBytes + this.#waitingBytes
  }

  /** The error that ended it, with the system's code, such as `ENOSPC`; undefined while there is none. */
  get error(): Error | undefined {
    return this.#error
  }

  /**
   * Adds a piece, which readers of the closed file find whole or not at all.
   * @returns a promise where too much waits: it resolves when there is room, or the file has failed
   */
  append(piece: readonly Buffer[]): Promise<void> | undefined {
    if (this.#error !== undefined) return undefined
    this.#waiting.push(piece.length > MAX_BUFFERS ? [Buffer.concat(piece)] : piece)
    this.#waitingBytes += sizeOf(piece)
    this.#working ??= this.#work()
    return this.#waitingBytes > MAX_WAITING_BYTES ? this.#working : undefined
  }

  /** Writes what waits, and what takes the place of bytes before; then closes the file. Never rejects: see `error`. Idempotent. */
  close(patches: readonly FilePatch[] = []): Promise<void> {
    return (this.#closed ??= this.#close(patches))
  }

  async #close(patches: readonly FilePatch[]): Promise<void> {
    await this.#working
    try {
      if (this.#error === undefined)
        for (const { offset, data } of patches) await this.#file.write(data, 0, data.length, offset)
      // A part of a piece may be there.
      else await this.#file.truncate(this.#sizeBytes)
      await this.#file.datasync()
    } catch (error) {
      this.#fail(error)
    } finally {
      await this.#file.close().catch((error: unknown) => this.#fail(error))
    }
  }

  async #work(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writes.run(() => this.#writeSome())
    } catch (error) {
      this.#fail(error)
      this.#waiting = []
      this.#waitingBytes = 0
    } finally {
      this.#working = undefined
    }
  }

  async #writeSome(): Promise<void> {
    const buffers: Buffer[] = []
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (buffers.length + next.length > MAX_BUFFERS) break
      buffers.push(...next)
      this.#waiting.shift()
    }
    const sizeBytes = sizeOf(buffers)
    for (let written = 0; written < sizeBytes;) {
      const { bytesWritten } = await this.#file.writev(after(buffers, written), this.#sizeBytes + written)
      if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' })
      written += bytesWritten
    }
    this.#sizeBytes += sizeBytes
    this.#waitingBytes -= sizeBytes
  }

  #fail(error: unknown): void {
    this.#error ??= error instanceof Error ? error : new Error(String(error))
  }
}

function sizeOf(buffers: readonly Buffer[]): number {
  let sizeBytes = 0
  for (const { length } of buffers) sizeBytes += length
  return sizeBytes
}

/** Buffers without the first so many bytes of them. */
function after(buffers: readonly Buffer[], bytes: number): Buffer[] {
  if (bytes === 0) return [...buffers]
  let left = bytes
  const rest: Buffer[] = []
  for (const buffer of buffers) {
    if (left >= buffer.length) left -= buffer.length
    else {
      rest.push(buffer.subarray(left))
      left = 0
    }
  }
  return rest
}
