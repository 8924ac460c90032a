/** The media of all sessions together: bytes since the start of the server, and their rates between two samples. */
export class Throughput {
  /** Media that publishers have written. */
  receivedBytes = 0
  /** Bytes that subscribers were sent. */
  sentBytes = 0
  /** Bytes a second, at the last sample. */
  receivedBps = 0
  sentBps = 0
  #sampled: { readonly ms: number; readonly receivedBytes: number; readonly sentBytes: number } | undefined

  /** @param nowMs the monotonic clock */
  sample(nowMs: number): void {
    const { receivedBytes, sentBytes } = this
    const before = this.#sampled
    const seconds = before === undefined ? 0 : (nowMs - before.ms) / 1000
    if (before !== undefined && seconds > 0) {
      this.receivedBps = (receivedBytes - before.receivedBytes) / seconds
      this.sentBps = (sentBytes - before.sentBytes) / seconds
    }
    this.#sampled = { ms: nowMs, receivedBytes, sentBytes }
  }
}
