import { constants, fstatSync, openSync, writeSync, type Stats } from 'node:fs'
import { errorCode, loadFfi } from 'sluice/sdk'

/** A device for the bytes of an output, which never blocks. */
export interface OutputDevice {
  /**
   * @returns the number of bytes that were accepted, from the first on; 0 when none are accepted now
   * @throws {Error} the system's error, such as `ENOSPC` or `EPIPE`
   */
  write(bytes: Buffer): number
}

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
/** The bytes that a pipe or socket accepts without blocking when poll(2) reports it as writable (PIPE_BUF). */
const POLLED_BYTES = process.platform === 'linux' ? 4096 : 512
/** The size of `struct pollfd`: the descriptor in 32 bits, then the requested and the returned events in 16 bits each. */
const POLL_ENTRY_BYTES = 8
const POLLOUT = 4

/**
 * Opens a descriptor that this process inherited, for writing. Other processes may have the same open file, such as the
 * shell that has started the server: so the file itself is not made non-blocking, as that would change it for them, too.
 */
export function openDevice(fd: number): OutputDevice {
  const stats = fstatSync(fd)
  // Files accept all bytes; O_NONBLOCK has no effect on them.
  if (stats.isFile()) return { write: (bytes) => writeSync(fd, bytes) }
  const own = openAnew(fd, stats)
  if (own !== undefined) return { write: (bytes) => takenNow(own, bytes) }
  const isWritable = createPoll(fd)
  return { write: (bytes) => (isWritable() ? takenNow(fd, bytes.subarray(0, POLLED_BYTES)) : 0) }
}

/**
 * Opens the same pipe or terminal once more; undefined when the system can't, or forbids it: a socket, another user's
 * terminal.
 */
function openAnew(fd: number, stats: Stats): number | undefined {
  if (process.platform !== 'linux' || !(stats.isFIFO() || stats.isCharacterDevice())) return undefined
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    return undefined
  }
}

function takenNow(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0
    throw error
  }
}

/** Makes a function that asks poll(2) whether a descriptor is writable or has an error. Without node:ffi it returns true. */
function createPoll(fd: number): () => boolean {
  const ffi = process.platform === 'win32' ? undefined : loadFfi()
  if (ffi === undefined) return () => true
  const { poll } = ffi.dlopen(null, {
    poll: { return: 'i32', arguments: ['pointer', 'pointer', 'i32'] },
  }).functions
  const entry = new DataView(new ArrayBuffer(POLL_ENTRY_BYTES))
  const isLittleEndian = true
  entry.setInt32(0, fd, isLittleEndian)
  entry.setInt16(4, POLLOUT, isLittleEndian)
  const pointer = ffi.getRawPointer(entry.buffer)
  // The closure keeps the memory of the entry.
  return () => poll(pointer, 1n, 0) !== 0 && entry.byteLength > 0
}
