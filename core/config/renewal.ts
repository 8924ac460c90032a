import { changesBetween, type ConfigChange } from './config-change.ts'
import type { Problem } from './config-error.ts'
import type { ConfigFile } from './config-file.ts'
import type { GlobalConfig } from 'sluice/sdk/host'
import type { Modifications } from './modifications.ts'
import { resolveGlobal, resolvePlugin, type Inputs } from './resolve.ts'
import type { SectionDefinition } from './schema.ts'
import type { Section } from './section.ts'

/** Takes the steps that must succeed before a changed `global` takes effect, such as binding its addresses. */
export type Acceptance = (global: Readonly<GlobalConfig>) => Promise<void>

/** The user's values that can change while the server runs: the file, and the values set at run time. */
export type Written = { readonly file: ConfigFile; readonly modified: Modifications }

/** A replacement of the user's values, or of a part of them. */
export type Rewrite = Partial<Written> & {
  /** Stores the replacement. Called once it was accepted; when it throws, the replacement does not take effect. */
  readonly keep?: (() => Promise<void>) | undefined
}

/** The section of a declared plugin. */
export type Declared = {
  /** The definitions, the newest first, though an older one may run until it can take over. */
  readonly definitions: readonly SectionDefinition[]
  /** The section by the schema of the first definition that the file fits. */
  readonly section: Section
}

/** All sections at one time. */
export type Sections = {
  readonly global: Section
  /** The sections of plugins by normalized name. */
  readonly declared: ReadonlyMap<string, Declared>
}

/** All sections after a change of the user's values, and the keys that it changes. */
export type Renewal = {
  readonly global: Section
  readonly declared: Map<string, Declared>
  readonly changes: readonly ConfigChange[]
  /** The errors; a section with an error stays as it was. */
  readonly problems: readonly Problem[]
}

/** Resolves all sections again. */
export function renew({ global: before, declared: known }: Sections, inputs: Inputs): Renewal {
  const problems = [...inputs.file.problems]
  const global = resolveGlobal(inputs, problems)
  const declared = new Map<string, Declared>()
  const changes = changesBetween(before, global)
  for (const [name, { definitions, section: old }] of known) {
    const section = resolveNewest(definitions, inputs, global, problems) ?? old
    declared.set(name, { definitions, section })
    changes.push(...changesBetween(old, section))
  }
  return { global, declared, changes, problems }
}

/** The section by the first definition that the file fits; when it fits none, the problems are those of the first. */
function resolveNewest(
  definitions: readonly SectionDefinition[],
  inputs: Inputs,
  global: Section,
  problems: Problem[],
): Section | undefined {
  const found: Problem[][] = []
  for (const definition of definitions) {
    const ofSection: Problem[] = []
    const section = resolvePlugin(definition, inputs, global, ofSection)
    if (ofSection.length === 0) return section
    found.push(ofSection)
  }
  problems.push(...(found[0] ?? []))
  return undefined
}
