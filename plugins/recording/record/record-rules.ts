import type { RecordConfig, RecordRule, RuleSection } from 'sluice/sdk'

/** A recording that a rule, a source, an operator or an event asks for. */
export type WantedRecording = {
  /** The plugin with the container: the one with the rule in its section, or the one that records the requested type. */
  readonly plugin: string
  readonly streamPath: string
  readonly type: string
  readonly rule: RecordRule
}

/** Returns the place of a recording: its type, stream, folder and file name. Each place has one recording at a time. */
export function recordingPlace({ streamPath, type, rule }: Omit<WantedRecording, 'plugin'>): string {
  // No path has a line feed.
  return [type, streamPath, rule.filepath, rule.filename].join('\n')
}

/** The `onpub.record` rules of the plugins that run, in the order of the plugins and of the file. */
export class RecordRules {
  /** The plugins that can have rules, with their sections. */
  readonly sections: ReadonlyMap<string, RecordConfig>
  readonly #rules: readonly { readonly plugin: string; readonly pattern: RegExp; readonly rule: RecordRule }[]

  constructor(sections: readonly RuleSection<'record'>[]) {
    this.sections = new Map(sections.map(({ plugin, config }) => [plugin, config]))
    this.#rules = [...this.sections].flatMap(([plugin, { onpub }]) =>
      Object.entries(onpub.record).map(([pattern, rule]) => ({ plugin, pattern: new RegExp(pattern, 'u'), rule })),
    )
  }

  /** Returns the recordings of a stream by all rules with an expression that matches its path. */
  match(streamPath: string): WantedRecording[] {
    return this.#rules.flatMap(({ plugin, pattern, rule }) => {
      const groups = pattern.exec(streamPath)
      if (groups === null) return []
      // `$0` is the match, `$1` to `$9` its groups.
      const filepath = rule.filepath.replaceAll(/\$(\d)/gu, (reference, digit: string) =>
        Number(digit) >= groups.length ? reference : (groups[Number(digit)] ?? ''),
      )
      return [{ plugin, streamPath, type: rule.type || plugin, rule: { ...rule, filepath } }]
    })
  }
}
