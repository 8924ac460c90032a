import type { Writable } from 'node:stream'
import type { Sink } from './muxer.ts'

/** Makes a sink of a socket or any other writable stream. */
export function socketSink(socket: Writable): Sink {
  return {
    write: (bytes) => void socket.write(bytes),
    get queuedBytes() {
      return socket.writableLength
    },
  }
}
