import type { MediaTrack, Track } from 'sluice/sdk'

/**
 * The time from the beginning of the other tracks after which a track without a unit is given up, in milliseconds: players
 * that are notified of a track wait for it, most of them for ever. Sound comes with the pictures, and viewers should not
 * wait much longer than a second for it. A first picture is large: by a slow uplink it comes seconds after the sound.
 */
export const ARRIVAL_WAIT_MS = { audio: 1250, video: 5000 }

/**
 * The declared tracks of pictures and sound of a publisher without a unit: those that are awaited, as the others began a
 * moment ago, and those that are given up. Data may come once in a long while, and no player waits for it.
 */
export class TrackArrivals {
  /** The awaited tracks, with the time at which they were declared. */
  readonly #awaited = new Map<MediaTrack, number>()
  readonly #givenUp = new Set<MediaTrack>()
  #begunMs: number | undefined

  /** True when a unit has come of all tracks. */
  get allCame(): boolean {
    return this.#awaited.size === 0 && this.#givenUp.size === 0
  }

  /** True while some or all tracks are awaited. */
  get awaiting(): boolean {
    return this.#awaited.size > 0
  }

  /** True when a unit has come of some track. */
  get begun(): boolean {
    return this.#begunMs !== undefined
  }

  /** The tracks that are given up. */
  get givenUp(): readonly MediaTrack[] {
    return [...this.#givenUp]
  }

  /** Adds a track. Times are those of a monotonic clock. */
  declare(track: Track, nowMs: number): void {
    if (track.kind !== 'data') this.#awaited.set(track, nowMs)
  }

  /** Replaces a track that was configured anew. Returns true when it is given up. */
  succeed(track: Track, successor: Track): boolean {
    if (track.kind === 'data' || successor.kind === 'data') return false
    const declaredMs = this.#awaited.get(track)
    if (this.#awaited.delete(track)) this.#awaited.set(successor, declaredMs!)
    if (!this.#givenUp.delete(track)) return false
    this.#givenUp.add(successor)
    return true
  }

  /** Removes a track that has ended. */
  delete(track: Track): void {
    if (track.kind === 'data') return
    this.#awaited.delete(track)
    this.#givenUp.delete(track)
  }

  /** Notes a unit of a track, though perhaps one that can't be decoded. Returns true when the track was awaited. */
  begin(track: Track, nowMs: number): boolean {
    if (track.kind === 'data') return false
    this.#begunMs ??= nowMs
    return this.#awaited.delete(track)
  }

  /** Notes a unit of a track that can be decoded. Returns true when the track was given up, and is no more. */
  recover(track: Track): boolean {
    return track.kind !== 'data' && this.#givenUp.delete(track)
  }

  /** Counts the waiting from now on, as the source has paused. */
  resume(nowMs: number): void {
    if (this.#begunMs !== undefined) this.#begunMs = nowMs
  }

  /** Gives up the tracks that were awaited for long enough after the others began, and returns them. */
  giveUp(nowMs: number): MediaTrack[] {
    const begunMs = this.#begunMs
    if (begunMs === undefined) return []
    const isOver = ({ kind }: MediaTrack, declaredMs: number) =>
      nowMs - Math.max(declaredMs, begunMs) >= ARRIVAL_WAIT_MS[kind]
    const overdue = [...this.#awaited].filter((awaited) => isOver(...awaited)).map(([track]) => track)
    for (const track of overdue) {
      this.#awaited.delete(track)
      this.#givenUp.add(track)
    }
    return overdue
  }
}
