import { constants, fstatSync, openSync, writeSync, type Stats } from 'node:fs'
import { errorCode, loadFfi } from 'sluice/sdk'

/** A device takes the bytes of an output, and makes nobody wait. */
export interface OutputDevice {
  /**
   * @returns how many bytes were taken, from the first on; 0 where none are taken now
   * @throws {Error} of the system, as `ENOSPC` or `EPIPE`
   */
  write(bytes: Buffer): number
}

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
/** A pipe or socket that poll(2) calls writable takes so many without making the caller wait (PIPE_BUF). */
const POLLED_BYTES = process.platform === 'linux' ? 4096 : 512
/** `struct pollfd`: the descriptor in 32 bits, then what is asked and what was found in 16 bits each. */
const POLL_ENTRY_BYTES = 8
const POLLOUT = 4

/**
 * Opens a descriptor that this process was given, for writing. Others may have the same open file, such as the shell that
 * has started the server: so it is not made non-blocking itself, as that would hold for them, too.
 */
export function openDevice(fd: number): OutputDevice {
  const stats = fstatSync(fd)
  // Files take what they are given; O_NONBLOCK means nothing to them.
  if (stats.isFile()) return { write: (bytes) => writeSync(fd, bytes) }
  const own = openAnew(fd, stats)
  if (own !== undefined) return { write: (bytes) => takenNow(own, bytes) }
  const isWritable = createPoll(fd)
  return { write: (bytes) => (isWritable() ? takenNow(fd, bytes.subarray(0, POLLED_BYTES)) : 0) }
}

/** Opens the same pipe or terminal once more; undefined where the system can't, or forbids it: a socket, another user's. */
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

/** Asks by poll(2) whether a descriptor takes something, or has an error to tell; where nobody can ask, it is taken to. */
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
  // The closure keeps the entry.
  return () => poll(pointer, 1n, 0) !== 0 && entry.byteLength > 0
}
