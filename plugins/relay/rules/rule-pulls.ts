import { isDeepStrictEqual } from 'node:util'
import type { PullJobs, PullSource, PullWish, RuleSection } from 'sluice/sdk'
import { OPERATOR, RULE } from '../origins.ts'
import { PullRules } from './pull-rules.ts'

/** The source that keeps subscribers from changing other pulls is asked first, the rules after all other sources. */
const FIRST_STAGE = -10
const LAST_STAGE = 10

/** The rules without expression for which pulls were started, by path, over all generations. */
export type KeptPulls = { fixed: ReadonlyMap<string, PullWish> }

/** The pulls by the rules of the config: those that are always wanted, and those for subscribers. */
export class RulePulls implements PullSource {
  readonly #pulls: PullJobs
  readonly #kept: KeptPulls
  #rules: PullRules | undefined
  #removeSources: () => void = () => {}

  constructor(pulls: PullJobs, kept: KeptPulls) {
    this.#pulls = pulls
    this.#kept = kept
  }

  /** Takes over the rules of the sections as they are now: starts new pulls, ends those without a rule, leaves the others alone. */
  apply(sections: readonly RuleSection<'pull'>[]): void {
    const rules = new PullRules(sections)
    if (isDeepStrictEqual(rules, this.#rules)) return
    this.#rules = rules
    const before = this.#kept.fixed
    this.#kept.fixed = rules.fixed
    for (const [streamPath, wish] of rules.fixed) {
      if (!isDeepStrictEqual(before.get(streamPath), wish)) this.#pulls.start(wish)
    }
    const removeFormer = this.#removeSources
    const added = [
      this.#pulls.addSource(this, { stage: FIRST_STAGE }),
      this.#pulls.addSource(rules, { stage: LAST_STAGE }),
    ]
    this.#removeSources = () => {
      for (const remove of added) remove()
    }
    // All pulls are looked at anew, by the sources that are there by now.
    removeFormer()
  }

  /** Leaves alone what goes on for a rule without expression or an operator, and begins no such rule again that is over. */
  match(streamPath: string): null | undefined {
    const pull = this.#pulls.get(streamPath)
    const running = pull?.ending === false ? pull : undefined
    if (running?.wish.origin === OPERATOR) return null
    const isOfOthers = running !== undefined && running.wish.origin !== RULE
    return this.#kept.fixed.has(streamPath) && !isOfOthers ? null : undefined
  }
}
