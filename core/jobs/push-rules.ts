import type { PushRule, PushWish, RuleSection } from 'sluice/sdk'
import { fillGroups } from './group-references.ts'

/** What there is one push of at a time: a stream, and the address that it is sent to. */
export function pushPlace({ streamPath, rule }: Pick<PushWish, 'streamPath' | 'rule'>): string {
  // No path has a line feed.
  return `${streamPath}\n${rule.url}`
}

/** The `onpub.push` rules of the plugins that run, in the order of the plugins and of the file. */
export class PushRules {
  /** The plugins that can have rules, whether they have some or not. */
  readonly plugins: readonly string[]
  readonly #rules: readonly { readonly plugin: string; readonly pattern: RegExp; readonly rule: PushRule }[]

  constructor(sections: readonly RuleSection<'push'>[]) {
    this.plugins = sections.map(({ plugin }) => plugin)
    this.#rules = sections.flatMap(({ plugin, config }) =>
      Object.entries(config.onpub.push).map(([pattern, rule]) => ({
        plugin,
        pattern: new RegExp(pattern, 'u'),
        rule,
      })),
    )
  }

  /** Where a stream is to be sent: by all rules whose expressions match its path. */
  match(streamPath: string): PushWish[] {
    return this.#rules.flatMap(({ plugin, pattern, rule }) => {
      const groups = pattern.exec(streamPath)
      return groups === null ? [] : [{ plugin, streamPath, rule: { ...rule, url: fillGroups(rule.url, groups) } }]
    })
  }
}
