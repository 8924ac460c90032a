import { isDeepStrictEqual } from 'node:util'
import type { PullJobs, PullSource, PullWish, RuleSection } from 'sluice/sdk'
import { OPERATOR, RULE } from '../origins.ts'
import { PullRules } from './pull-rules.ts'

/** The stage of the source that protects the pulls of operators and of rules without expression: before all others. */
const PROTECTING_STAGE = -10
/** The stage of the rules with an expression: after the sources of all other plugins. */
const RULE_STAGE = 10

/** The wishes of the rules without expression that were started, by path, of all generations. */
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

  /** Takes over the present rules of the sections: starts new pulls, ends those without a rule, and leaves the others alone. */
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
      this.#pulls.addSource(this, { stage: PROTECTING_STAGE }),
      this.#pulls.addSource(rules, { stage: RULE_STAGE }),
    ]
    this.#removeSources = () => {
      for (const remove of added) remove()
    }
    // The server matches the pulls anew when a source is removed, so the new sources are there before.
    removeFormer()
  }

  /**
   * Returns `null` for a path that an operator has pulled, or that has a rule without expression: its pull continues, and no
   * subscriber begins it again when it has ended.
   */
  match(streamPath: string): null | undefined {
    const pull = this.#pulls.get(streamPath)
    const running = pull?.ending === false ? pull : undefined
    if (running?.wish.origin === OPERATOR) return null
    const isOfOthers = running !== undefined && running.wish.origin !== RULE
    return this.#kept.fixed.has(streamPath) && !isOfOthers ? null : undefined
  }
}
