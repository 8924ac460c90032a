import type { Marker } from '../media/marker.ts'

/** What a viewer has got in a window of time; frames and delays are known of those that read the stream. */
export class ViewerCounts {
  receivedBytes = 0
  requests = 0
  /** Those not answered with what was asked for. */
  failedRequests = 0
  frames = 0
  lostFrames = 0
  /** Of WebRTC and SRT. */
  lostPackets = 0
  readonly delaysMs: number[] = []
  #nextSequence: number | undefined

  /** Those of the window that follows. */
  next(): ViewerCounts {
    const counts = new ViewerCounts()
    counts.#nextSequence = this.#nextSequence
    return counts
  }

  /** A frame is there. */
  see({ sequence }: Marker): void {
    this.frames++
    this.lostFrames += Math.max(0, sequence - (this.#nextSequence ?? sequence))
    this.#nextSequence = sequence + 1
  }

  /** Notes how long it took to get here. */
  arrived({ clockNs }: Marker, arrivedNs = process.hrtime.bigint()): void {
    this.delaysMs.push(Number(arrivedNs - clockNs) / 1e6)
  }
}
