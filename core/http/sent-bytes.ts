import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The bytes of each connection that have been counted for one of its answers. */
const counted = new WeakMap<Socket, number>()

/**
 * Counts the bytes that an answer sends.
 * @param carrier a connection of HTTP/1, whose answers are over one after the other, or a stream of HTTP/2
 * @returns a function that returns the bytes since the answer before, heads included over HTTP/1; to be called when the
 * answer is over
 */
export function countSentBytes(carrier: Duplex): () => number {
  if (!(carrier instanceof Socket)) return countWrites(carrier)
  return () => {
    const before = counted.get(carrier) ?? 0
    counted.set(carrier, carrier.bytesWritten)
    return carrier.bytesWritten - before
  }
}

/** Counts the bytes that are written to a stream of HTTP/2, which has no counter of its own. */
function countWrites(stream: Duplex): () => number {
  let sizeBytes = 0
  for (const name of ['write', 'end'] as const) {
    const send = stream[name] as (...args: unknown[]) => unknown
    Object.assign(stream, {
      [name](chunk: unknown, ...rest: unknown[]) {
        if (typeof chunk === 'string' || chunk instanceof Uint8Array) sizeBytes += Buffer.byteLength(chunk)
        return send.call(stream, chunk, ...rest)
      },
    })
  }
  return () => sizeBytes
}
