import type { AccessUnit } from 'sluice/sdk'

/** A subscriber that is let in attaches in this turn of the event loop; its muxer takes it in early in the next. */
const TURNS = 2

/**
 * A queue for the units that come while subscribers attach that were just let in. A source's first bytes often hold its
 * tracks and their first units together, and a subscriber that waited for them is to miss none.
 */
export class HoldBack {
  readonly #dispatch: (unit: AccessUnit) => void
  #held: AccessUnit[] | undefined
  #turn: NodeJS.Immediate | undefined

  constructor(dispatch: (unit: AccessUnit) => void) {
    this.#dispatch = dispatch
  }

  begin(): void {
    if (this.#held !== undefined) return
    this.#held = []
    this.#wait(TURNS)
  }

  /** Takes the unit over while subscribers attach; returns false when none does. */
  holds(unit: AccessUnit): boolean {
    if (this.#held === undefined) return false
    this.#held.push(unit)
    return true
  }

  /** Hands on what was kept back. A subscriber that has not attached by now gets what is cached. */
  end(): void {
    clearImmediate(this.#turn)
    const held = this.#held
    this.#held = undefined
    for (const unit of held ?? []) this.#dispatch(unit)
  }

  #wait(turns: number): void {
    this.#turn = setImmediate(() => (turns > 1 ? this.#wait(turns - 1) : this.end()))
  }
}
