import type { PushRule, PushWish, RuleSection } from 'sluice/sdk'
import { RULE } from '../origins.ts'
import { fillGroups } from './group-references.ts'

/** The `onpub.push` rules of the plugins that run, in the order of the plugins and of the file. */
export class PushRules {
  readonly #rules: readonly { readonly plugin: string; readonly pattern: RegExp; readonly rule: PushRule }[]

  constructor(sections: readonly RuleSection<'push'>[]) {
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
      if (groups === null) return []
      return [{ plugin, streamPath, rule: { ...rule, url: fillGroups(rule.url, groups) }, origin: RULE }]
    })
  }
}
