import type { Track } from 'sluice/sdk'
import type { TrackMeter } from './track-meter.ts'

/** The meters of a publisher's tracks. */
export class TrackMeters extends Map<Track, TrackMeter> {
  /** The bytes of tracks that are gone. */
  #formerBytes = 0

  /** The bytes of all present and former tracks. */
  get totalBytes(): number {
    let bytes = this.#formerBytes
    for (const meter of this.values()) bytes += meter.bytes
    return bytes
  }

  /** Lets the meter of a track go on for the one that takes its place; returns false when it has none. */
  succeed(track: Track, successor: Track): boolean {
    const meter = this.get(track)
    if (meter === undefined) return false
    super.delete(track)
    this.set(successor, meter)
    return true
  }

  override delete(track: Track): boolean {
    this.#formerBytes += this.get(track)?.bytes ?? 0
    return super.delete(track)
  }
}
