import type { AccessUnit } from 'sluice/sdk'

/** A let-in subscriber attaches in this turn of the event loop, and its muxer takes it in at the next one's start. */
const TURNS = 2

/**
 * Keeps back what comes while subscribers that were let in are on their way: a source's first bytes often hold its tracks
 * and their first units together, and who waited for it is to miss none.
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

  /** Takes the unit over, if subscribers are on their way. */
  holds(unit: AccessUnit): boolean {
    if (this.#held === undefined) return false
    this.#held.push(unit)
    return true
  }

  /** Hands on what was kept back; whoever isn't there by now gets what is cached. */
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
