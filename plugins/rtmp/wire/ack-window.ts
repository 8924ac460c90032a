const COUNTER_RANGE = 2 ** 32

/**
 * Counts the bytes that one side receives and decides when an Acknowledgement is due (RTMP 1.0 §5.4.3, §5.4.4): each time as many
 * bytes as the peer's Window Acknowledgement Size came in. Until the peer sends one, none is due.
 */
export class AckWindow {
  #sizeBytes = Infinity
  #receivedBytes = 0
  #acknowledgedBytes = 0

  /** The peer's Window Acknowledgement Size; 0 asks for no acknowledgements. */
  setSize(sizeBytes: number): void {
    this.#sizeBytes = sizeBytes === 0 ? Infinity : sizeBytes
  }

  /**
   * Counts received bytes. Gives back the number for the Acknowledgement to send now (all bytes so far, modulo 2^32),
   * or `null` when none is due; at most one per call, however small the window.
   */
  receive(sizeBytes: number): number | null {
    this.#receivedBytes += sizeBytes
    if (this.#receivedBytes - this.#acknowledgedBytes < this.#sizeBytes) return null
    this.#acknowledgedBytes = this.#receivedBytes
    return this.#receivedBytes % COUNTER_RANGE
  }
}
