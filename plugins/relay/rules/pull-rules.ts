import type { PublishConfig, PullRule, PullSource, PullWish, RuleSection } from 'sluice/sdk'
import { RULE } from '../origins.ts'
import { fillGroups } from './group-references.ts'

/** The time for which a pull on demand goes on without subscribers, where the config has none. */
export const ON_DEMAND_IDLE_MS = 10_000

/** A rule with an expression. */
type OnDemandRule = {
  readonly plugin: string
  readonly pattern: RegExp
  readonly rule: PullRule
  readonly idleMs: IdleTimes
}
/** The times for which a pull goes on without subscribers. */
type IdleTimes = Pick<PublishConfig, 'idletimeout' | 'delayclosetimeout'>

/** The rules of the plugins that run, in the order of the plugins and of the file. */
export class PullRules implements PullSource {
  /** The pulls that are always wanted, by path; of two rules for a path, the first counts. */
  readonly fixed: ReadonlyMap<string, PullWish>
  /** The rules with an expression, in their order. */
  readonly onDemand: readonly OnDemandRule[]

  constructor(sections: readonly RuleSection<'pull'>[]) {
    const fixed = new Map<string, PullWish>()
    for (const { plugin, config } of sections) {
      for (const [streamPath, rule] of Object.entries(config.pull)) {
        if (!fixed.has(streamPath)) fixed.set(streamPath, lasting({ plugin, streamPath, rule, publish: {}, args: {} }))
      }
    }
    this.fixed = fixed
    this.onDemand = sections.flatMap(({ plugin, config }) =>
      Object.entries(config.onsub.pull).map(([pattern, rule]) => ({
        plugin,
        pattern: new RegExp(pattern, 'u'),
        rule,
        idleMs: idleTimes(config.publish),
      })),
    )
  }

  /** The pull for a subscriber of a path, by the first rule with an expression that matches it. */
  match(streamPath: string): PullWish | undefined {
    for (const { plugin, pattern, rule, idleMs } of this.onDemand) {
      const groups = pattern.exec(streamPath)
      if (groups === null) continue
      return { plugin, streamPath, rule: { ...rule, url: fillGroups(rule.url, groups) }, publish: idleMs, args: {} }
    }
    return undefined
  }
}

/** Returns a pull that continues without subscribers. */
function lasting(wish: PullWish): PullWish {
  return { ...wish, isLasting: true, origin: RULE }
}

/** The times of a pull on demand, which ends by them alone: its subscriber may leave before or after it has begun to publish. */
function idleTimes(publish: IdleTimes): IdleTimes {
  return {
    idletimeout: publish.idletimeout || ON_DEMAND_IDLE_MS,
    delayclosetimeout: publish.delayclosetimeout || ON_DEMAND_IDLE_MS,
  }
}
