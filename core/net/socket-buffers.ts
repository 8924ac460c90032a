import type { Socket } from 'node:dgram'
import type { Logger } from 'pino'
import { errorCode } from 'sluice/sdk'

/** How many bytes of datagrams the system is to keep for a socket. */
export type BufferSizes = { readonly readbuffer: number; readonly writebuffer: number }

/** Linux doubles what is set, for its own bookkeeping, and tells the doubled value (socket(7)). */
const TOLD_PER_BYTE = process.platform === 'linux' ? 2 : 1

/** What is said of a size that can't be had. */
const SIZE_CODES = new Set(['ERR_SOCKET_BUFFER_SIZE', 'ERR_SOCKET_BAD_BUFFER_SIZE'])

/** Sets the buffers of UDP sockets. What the system does not give is told once: it is the same for all of them. */
export class SocketBuffers {
  readonly #log: Logger
  #told = false

  constructor(log: Logger) {
    this.#log = log
  }

  resize(socket: Socket, { readbuffer, writebuffer }: BufferSizes): void {
    // Some systems give less than was asked for, others nothing at all.
    attempt(() => socket.setRecvBufferSize(readbuffer))
    attempt(() => socket.setSendBufferSize(writebuffer))
    if (this.#told) return
    const given = {
      readbuffer: socket.getRecvBufferSize() / TOLD_PER_BYTE,
      writebuffer: socket.getSendBufferSize() / TOLD_PER_BYTE,
    }
    if (given.readbuffer >= readbuffer && given.writebuffer >= writebuffer) return
    this.#told = true
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
