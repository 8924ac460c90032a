/** Which packets of one RTP stream came, by their numbers (RFC 3550 A.1, A.3). */
export class ReceivedPackets {
  #ssrc = 0
  /** The highest number so far, with its wraps; undefined before the first packet. */
  #highest: number | undefined
  #base = 0
  #received = 0
  #windowLost = 0

  /** Those that are missing since the window began, less those that came late. */
  get lost(): number {
    return this.#missing - this.#windowLost
  }

  /** What a report says of it; undefined before the first packet. */
  get reception():
    | { readonly ssrc: number; readonly highestSequence: number; readonly packetsLost: number }
    | undefined {
    if (this.#highest === undefined) return undefined
    return { ssrc: this.#ssrc, highestSequence: this.#highest >>> 0, packetsLost: Math.max(0, this.#missing) }
  }

  beginWindow(): void {
    this.#windowLost = this.#missing
  }

  see(ssrc: number, sequenceNumber: number): void {
    if (this.#highest === undefined || ssrc !== this.#ssrc) {
      this.#ssrc = ssrc
      this.#highest = sequenceNumber
      this.#base = sequenceNumber
      this.#received = 0
      this.#windowLost = 0
    }
    this.#received++
    const ahead = ((sequenceNumber - this.#highest) << 16) >> 16
    if (ahead > 0) this.#highest += ahead
  }

  get #missing(): number {
    return this.#highest === undefined ? 0 : this.#highest - this.#base + 1 - this.#received
  }
}
