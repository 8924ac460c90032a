/** The traffic to subscribers: bytes, units that they did not get, and the number of times that they fell behind. */
export type Sent = { readonly sentBytes: number; readonly dropped: number; readonly skips: number }

/**
 * The traffic to the subscribers of a stream, including those that have left. It is gathered from their own counters once a
 * second, and when one leaves, so that sending costs nothing more, and reading does not depend on their number.
 */
export class StreamTraffic {
  sentBytes = 0
  dropped = 0
  skips = 0
  /** The bytes that waited for all subscribers together when they were gathered last. */
  queuedBytes = 0

  add({ sentBytes, dropped, skips }: Sent): void {
    this.sentBytes += sentBytes
    this.dropped += dropped
    this.skips += skips
  }
}
