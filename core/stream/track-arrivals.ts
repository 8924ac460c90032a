import type { Track } from 'sluice/sdk'

/**
 * Viewers are told of a track for so long, from when the others began, though nothing has come of it. Encoders send their
 * tracks within a second of each other; players that are told of a track wait for it, most of them for ever.
 */
export const ARRIVAL_WAIT_MS = 3000

/**
 * The tracks of pictures and sound of a publisher that were declared, and of which nothing has come: those that are
 * awaited, as the others began a moment ago, and those that are given up. Data may come once in a long while, and no player
 * waits for it.
 */
export class TrackArrivals {
  /** The awaited ones, with the time at which they were declared. */
  readonly #awaited = new Map<Track, number>()
  readonly #givenUp = new Set<Track>()
  #begunMs: number | undefined

  /** Whether something has come of all tracks. */
  get allCame(): boolean {
    return this.#awaited.size === 0 && this.#givenUp.size === 0
  }

  /** Whether some tracks are awaited, be it all. */
  get awaiting(): boolean {
    return this.#awaited.size > 0
  }

  /** Whether something has come of some track. */
  get begun(): boolean {
    return this.#begunMs !== undefined
  }

  /** Times are those of a monotonic clock. */
  declare(track: Track, nowMs: number): void {
    if (track.kind !== 'data') this.#awaited.set(track, nowMs)
  }

  /** A track was configured anew. Returns whether it is given up. */
  succeed(track: Track, successor: Track): boolean {
    const declaredMs = this.#awaited.get(track)
    if (this.#awaited.delete(track)) this.#awaited.set(successor, declaredMs!)
    if (!this.#givenUp.delete(track)) return false
    this.#givenUp.add(successor)
    return true
  }

  /** A track has ended. */
  delete(track: Track): void {
    this.#awaited.delete(track)
    this.#givenUp.delete(track)
  }

  /** Something came of a track, though perhaps nothing that can be decoded. */
  begin(track: Track, nowMs: number): void {
    if (track.kind === 'data') return
    this.#begunMs ??= nowMs
    this.#awaited.delete(track)
  }

  /** A unit came of a track that can be decoded. Returns whether it was given up, and is no more. */
  recover(track: Track): boolean {
    return this.#givenUp.delete(track)
  }

  /** The source has paused; the others begin now. */
  resume(nowMs: number): void {
    if (this.#begunMs !== undefined) this.#begunMs = nowMs
  }

  /** Gives up the tracks that were awaited for long enough after the others began, and returns them. */
  giveUp(nowMs: number): Track[] {
    const begunMs = this.#begunMs
    if (begunMs === undefined) return []
    const isOver = (declaredMs: number) => nowMs - Math.max(declaredMs, begunMs) >= ARRIVAL_WAIT_MS
    const overdue = [...this.#awaited].filter(([, declaredMs]) => isOver(declaredMs)).map(([track]) => track)
    for (const track of overdue) {
      this.#awaited.delete(track)
      this.#givenUp.add(track)
    }
    return overdue
  }
}
