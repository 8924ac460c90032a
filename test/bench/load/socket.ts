import { connect, type Socket } from 'node:net'

/** All sockets of the process read into the same bytes, so that reading allocates nothing. */
const READ_BUFFER = Buffer.allocUnsafe(256 * 1024)

type SocketEvents = {
  connected(): void
  /** Bytes to be read or copied before this returns. */
  bytes(view: Buffer): void
  closed(reason: string): void
}

/** Connects to a port of this machine. */
export function openSocket(port: number, events: SocketEvents): Socket {
  let reason = 'the server closed the connection'
  const onread = {
    buffer: READ_BUFFER,
    callback: (sizeBytes: number) => {
      events.bytes(READ_BUFFER.subarray(0, sizeBytes))
      return true
    },
  }
  const socket = connect({ host: '127.0.0.1', port, onread, noDelay: true })
  socket.on('connect', () => events.connected())
  socket.on('error', (error) => (reason = error.message))
  socket.on('close', () => events.closed(reason))
  return socket
}
