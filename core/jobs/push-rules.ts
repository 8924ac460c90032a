import type { PushConfig, PushRule } from 'sluice/sdk'
import type { PluginView } from '../host/plugin-view.ts'
import { fillGroups } from './group-references.ts'
import { sectionsWithRules } from './rule-sections.ts'

/** A stream that is to be sent to a target. */
export type WantedPush = {
  /** The plugin in whose section the rule is, and whose service does it. */
  readonly plugin: string
  readonly streamPath: string
  readonly rule: PushRule
  /** Leaves the tracks with sound out. */
  readonly isSilent?: boolean
}

/** What there is one push of at a time: a stream, and the address that it is sent to. */
export function pushPlace({ streamPath, rule }: Pick<WantedPush, 'streamPath' | 'rule'>): string {
  // No path has a line feed.
  return `${streamPath}\n${rule.url}`
}

/** The `onpub.push` rules of the plugins that run, in the order of the plugins and of the file. */
export class PushRules {
  /** The plugins that can have rules, whether they have some or not. */
  readonly plugins: readonly string[]
  readonly #rules: readonly { readonly plugin: string; readonly pattern: RegExp; readonly rule: PushRule }[]

  constructor(plugins: readonly PluginView[]) {
    // The config system put this group into the section of a plugin with push rules.
    const sections = sectionsWithRules(plugins, 'push')
    this.plugins = sections.map(({ plugin }) => plugin)
    this.#rules = sections.flatMap(({ plugin, values }) =>
      Object.entries((values as PushConfig | undefined)?.onpub.push ?? {}).map(([pattern, rule]) => ({
        plugin,
        pattern: new RegExp(pattern, 'u'),
        rule,
      })),
    )
  }

  /** Where a stream is to be sent: by all rules whose expressions match its path. */
  match(streamPath: string): WantedPush[] {
    return this.#rules.flatMap(({ plugin, pattern, rule }) => {
      const groups = pattern.exec(streamPath)
      return groups === null ? [] : [{ plugin, streamPath, rule: { ...rule, url: fillGroups(rule.url, groups) } }]
    })
  }
}
