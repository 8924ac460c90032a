import type { RecordConfig, RecordRule } from 'sluice/sdk'
import { fillGroups } from '../jobs/group-references.ts'
import { sectionsWithRules } from '../jobs/rule-sections.ts'
import type { PluginView } from '../host/plugin-view.ts'

/** How a stream is to be recorded. */
export type WantedRecording = {
  /** The plugin in whose section the rule is, or by which it was asked for. */
  readonly plugin: string
  readonly streamPath: string
  readonly type: string
  readonly rule: RecordRule
}

/** What there is one recording of at a time: a stream, a type and a folder. */
export function recordingPlace({ streamPath, type, rule }: Omit<WantedRecording, 'plugin'>): string {
  // No path has a line feed.
  return [type, streamPath, rule.filepath, rule.filename].join('\n')
}

/** The `onpub.record` rules of the plugins that run, in the order of the plugins and of the file. */
export class RecordRules {
  /** The plugins that can have rules, with their sections. */
  readonly sections: ReadonlyMap<string, RecordConfig>
  readonly #rules: readonly { readonly plugin: string; readonly pattern: RegExp; readonly rule: RecordRule }[]

  constructor(plugins: readonly PluginView[]) {
    // The config system put this group into the section of a plugin with record rules.
    const sections = sectionsWithRules(plugins, 'record') as { plugin: string; values: RecordConfig | undefined }[]
    this.sections = new Map(sections.flatMap(({ plugin, values }) => (values === undefined ? [] : [[plugin, values]])))
    this.#rules = [...this.sections].flatMap(([plugin, { onpub }]) =>
      Object.entries(onpub.record).map(([pattern, rule]) => ({ plugin, pattern: new RegExp(pattern, 'u'), rule })),
    )
  }

  /** True where there are rules at all. */
  get exist(): boolean {
    return this.#rules.length > 0
  }

  /** How a stream is to be recorded: by all rules whose expressions match its path. */
  match(streamPath: string): WantedRecording[] {
    return this.#rules.flatMap(({ plugin, pattern, rule }) => {
      const groups = pattern.exec(streamPath)
      if (groups === null) return []
      const filepath = fillGroups(rule.filepath, groups)
      return [{ plugin, streamPath, type: rule.type || plugin, rule: { ...rule, filepath } }]
    })
  }
}
