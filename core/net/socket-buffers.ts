import type { Socket } from 'node:dgram'
import type { Logger } from 'pino'
import { errorCode } from 'sluice/sdk'

/** The sizes of a socket's buffers in the system, in bytes. */
export type BufferSizes = { readonly readbuffer: number; readonly writebuffer: number }

/** The bytes that the system reports for each byte set: Linux doubles the value, for its own bookkeeping (socket(7)). */
const REPORTED_PER_BYTE = process.platform === 'linux' ? 2 : 1

/** The error codes for a size that the system refuses. */
const SIZE_CODES = new Set(['ERR_SOCKET_BUFFER_SIZE', 'ERR_SOCKET_BAD_BUFFER_SIZE'])

/** Sets the buffers of UDP sockets. Smaller buffers than asked for are logged once, as they are the same for all sockets. */
export class SocketBuffers {
  readonly #log: Logger
  #isLogged = false

  constructor(log: Logger) {
    this.#log = log
  }

  resize(socket: Socket, { readbuffer, writebuffer }: BufferSizes): void {
    // Some systems set a smaller size than asked for, others refuse it.
    attempt(() => socket.setRecvBufferSize(readbuffer))
    attempt(() => socket.setSendBufferSize(writebuffer))
    if (this.#isLogged) return
    const given = {
      readbuffer: socket.getRecvBufferSize() / REPORTED_PER_BYTE,
      writebuffer: socket.getSendBufferSize() / REPORTED_PER_BYTE,
    }
    if (given.readbuffer >= readbuffer && given.writebuffer >= writebuffer) return
    this.#isLogged = true
    const asked = { readbuffer, writebuffer }
    this.#log.info(
      { asked, given },
      'UDP sockets have smaller buffers than asked for: raise net.core.rmem_max and net.core.wmem_max',
    )
  }
}

function attempt(resize: () => void): void {
  try {
    resize()
  } catch (error) {
    if (!SIZE_CODES.has(errorCode(error))) throw error
  }
}
