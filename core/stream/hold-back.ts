import type { AccessUnit } from 'sluice/sdk'
import { MAX_CACHE_BYTES, MAX_CACHE_ENTRIES } from './gop-cache.ts'

/**
 * The number of turns until an admitted subscriber takes media: it attaches in this turn of the event loop, and its muxer
 * takes it in early in the next.
 */
const TURNS = 2

type HoldBackOptions = {
  readonly dispatch: (unit: AccessUnit) => void
  /** Returns true while it is open which tracks subscribers are to be notified of. */
  readonly isOpen: () => boolean
}

/**
 * A queue for the units that come while admitted subscribers attach, and until the tracks that they are to be notified of are
 * settled. A source's first bytes often hold its tracks and their first units together, and a subscriber that waited for them
 * is to miss none. The first bytes that it gets name the tracks, and most formats can't take a name back.
 */
export class HoldBack {
  readonly #options: HoldBackOptions
  #held: AccessUnit[] | undefined
  #bytes = 0
  #turn: NodeJS.Immediate | undefined

  constructor(options: HoldBackOptions) {
    this.#options = options
  }

  begin(): void {
    if (this.#held !== undefined) return
    this.#held = []
    this.#wait(TURNS)
  }

  /** Takes the unit over while subscribers attach; returns false when none does, and when there are too many units. */
  holds(unit: AccessUnit): boolean {
    if (this.#held === undefined) return false
    if (this.#held.length >= MAX_CACHE_ENTRIES || this.#bytes + unit.sizeBytes > MAX_CACHE_BYTES) this.end()
    if (this.#held === undefined) return false
    this.#held.push(unit)
    this.#bytes += unit.sizeBytes
    return true
  }

  /** Hands on the held units. A subscriber that has not attached by now gets the cached ones. */
  flush(): void {
    const holdsMore = this.#held !== undefined && this.#options.isOpen()
    this.end()
    if (holdsMore) this.#held = []
  }

  /** Ends the holding back if the tracks are settled by now. */
  settle(): void {
    if (this.#turn === undefined && !this.#options.isOpen()) this.end()
  }

  /** Hands on the held units, and holds none back until it begins anew. */
  end(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    const held = this.#held
    this.#held = undefined
    this.#bytes = 0
    for (const unit of held ?? []) this.#options.dispatch(unit)
  }

  #wait(turns: number): void {
    this.#turn = setImmediate(() => {
      if (turns > 1) return this.#wait(turns - 1)
      this.#turn = undefined
      this.settle()
    })
  }
}
