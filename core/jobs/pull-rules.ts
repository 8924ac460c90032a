import type { PublishConfig, PullConfig, PullRule } from 'sluice/sdk'
import type { PluginView } from '../host/plugin-view.ts'
import { fillGroups } from './group-references.ts'
import { sectionsWithRules } from './rule-sections.ts'

/** How long a pull that was started for a subscriber goes on without any, where the config says nothing else. */
export const ON_DEMAND_IDLE_MS = 10_000

/** What a rule asks for on one path. */
export type WantedPull = {
  /** The plugin in whose section the rule is, and whose service does it. */
  readonly plugin: string
  readonly streamPath: string
  readonly rule: PullRule
  readonly publish: Readonly<Partial<PublishConfig>>
  /** The query of the subscriber that it is for. */
  readonly args: Readonly<Record<string, string>>
  /** The recordings that it plays, as the query says from when to when; another source unless given. */
  readonly recording?: { readonly type?: string; readonly streamPath: string }
  /** The pull proxy that wants it; a rule or an operator unless given. */
  readonly proxyId?: number
  /** It goes on without subscribers once it was asked for, and is tried again without them. */
  readonly isLasting?: boolean
}

/** Who knows what to pull for a subscriber of a path. */
export interface PullSource {
  match(streamPath: string): WantedPull | undefined
}

type RuleSection = PullConfig & { readonly publish: PublishConfig }
type OnDemandRule = {
  readonly plugin: string
  readonly pattern: RegExp
  readonly rule: PullRule
  readonly idleMs: IdleTimes
}
/** How long a pull goes on without subscribers. */
export type IdleTimes = Pick<PublishConfig, 'idletimeout' | 'delayclosetimeout'>

/** The rules of the plugins that run, in the order of the plugins and of the file. */
export class PullRules implements PullSource {
  /** Pulls that are always wanted, by path; of two rules for a path, the first counts. */
  readonly fixed: ReadonlyMap<string, WantedPull>
  /** The plugins that can have rules, whether they have some or not. */
  readonly plugins: readonly string[]
  readonly #onDemand: readonly OnDemandRule[]

  constructor(plugins: readonly PluginView[]) {
    // The config system put these groups into the section of a plugin with pull rules.
    const sections = sectionsWithRules(plugins, 'pull').map(({ plugin, values }) => ({
      plugin,
      section: values as RuleSection | undefined,
    }))
    this.plugins = sections.map(({ plugin }) => plugin)
    const fixed = new Map<string, WantedPull>()
    for (const { plugin, section } of sections) {
      for (const [streamPath, rule] of Object.entries(section?.pull ?? {})) {
        if (!fixed.has(streamPath)) fixed.set(streamPath, { plugin, streamPath, rule, publish: {}, args: {} })
      }
    }
    this.fixed = fixed
    this.#onDemand = sections.flatMap(({ plugin, section }) =>
      Object.entries(section?.onsub.pull ?? {}).map(([pattern, rule]) => ({
        plugin,
        pattern: new RegExp(pattern, 'u'),
        rule,
        idleMs: idleTimes(section?.publish),
      })),
    )
  }

  /** What is to be pulled for a subscriber of a path: by the first rule whose expression matches it. */
  match(streamPath: string): WantedPull | undefined {
    for (const { plugin, pattern, rule, idleMs } of this.#onDemand) {
      const groups = pattern.exec(streamPath)
      if (groups === null) continue
      return { plugin, streamPath, rule: { ...rule, url: fillGroups(rule.url, groups) }, publish: idleMs, args: {} }
    }
    return undefined
  }
}

/** Nobody else ends such a pull: its subscriber may leave before or after it has begun to publish. */
function idleTimes(publish: Pick<PublishConfig, 'idletimeout' | 'delayclosetimeout'> | undefined): IdleTimes {
  return {
    idletimeout: publish?.idletimeout || ON_DEMAND_IDLE_MS,
    delayclosetimeout: publish?.delayclosetimeout || ON_DEMAND_IDLE_MS,
  }
}
