import type { Writable } from 'node:stream'

/** The destination of a subscriber's bytes, usually a socket; see {@link socketSink}. */
export interface Sink {
  /** Takes bytes over; they are shared with other sinks and must not be changed. */
  write(bytes: Buffer): void
  /**
   * Frames what leaves in one write as the transport wants it, for example `frameBinaryMessage` as a WebSocket message.
   * Left out where bytes simply follow on. Bytes are framed once for all sinks that give the same function, which sees
   * the bytes alone and is called without `this`.
   */
  readonly frame?: (bytes: Buffer) => Buffer
  /** Bytes taken but not handed to the operating system yet. */
  readonly queuedBytes: number
}

/** Makes a sink of a socket or any other writable stream. `frame` is that of the sink. */
export function socketSink(socket: Writable, frame?: Sink['frame']): Sink {
  return {
    ...(frame && { frame }),
    write: (bytes) => void socket.write(bytes),
    get queuedBytes() {
      return socket.writableLength
    },
  }
}
