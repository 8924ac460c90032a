import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** What of a connection's bytes was counted to one of its answers. */
const counted = new WeakMap<Socket, number>()

/**
 * Counts what an answer sends.
 * @param carrier a connection of HTTP/1, whose answers are over one after the other, or a stream of HTTP/2
 * @returns gives the bytes since the answer before, heads included over HTTP/1; to be called when the answer is over
 */
export function countSentBytes(carrier: Duplex): () => number {
  if (!(carrier instanceof Socket)) return countWrites(carrier)
  return () => {
    const before = counted.get(carrier) ?? 0
    counted.set(carrier, carrier.bytesWritten)
    return carrier.bytesWritten - before
  }
}

/** A stream of HTTP/2 does not tell. */
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
