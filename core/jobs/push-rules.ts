import type { PushRule, PushWish, RuleSection } from 'sluice/sdk'
import { fillGroups } from './group-references.ts'

/** The key under which there is one push at a time: a stream, and the address that it is sent to. */
export function pushPlace({ streamPath, rule }: Pick<PushWish, 'streamPath' | 'rule'>): string {
  // No path has a line feed.
  return `${streamPath}\n${rule.url}`
}

/** The `onpub.push` rules of the plugins that run, in the order of the plugins and of the file. */
export class PushRules {
  /** The plugins that can have rules, including those without any. */
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

  /** The pushes of a stream, by all rules with an expression that matches its path. */
  match(streamPath: string): PushWish[] {
    return this.#rules.flatMap(({ plugin, pattern, rule }) => {
      const groups = pattern.exec(streamPath)
      return groups === null ? [] : [{ plugin, streamPath, rule: { ...rule, url: fillGroups(rule.url, groups) } }]
    })
  }
}
