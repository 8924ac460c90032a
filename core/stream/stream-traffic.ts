/** What subscribers were sent: bytes, units that they were not sent, and how many times they fell behind. */
export type Sent = { readonly sentBytes: number; readonly dropped: number; readonly skips: number }

/**
 * What the subscribers of a stream were sent, those included that have left. It is gathered from their own counters once a
 * second, and when one leaves, so that sending costs nothing more, and telling does not depend on how many there are.
 */
export class StreamTraffic {
  sentBytes = 0
  dropped = 0
  skips = 0
  /** What waited for all subscribers together when it was gathered last. */
  queuedBytes = 0

  add({ sentBytes, dropped, skips }: Sent): void {
    this.sentBytes += sentBytes
    this.dropped += dropped
    this.skips += skips
  }
}
