import { changesBetween, type ConfigChange } from './config-change.ts'
import type { Problem } from './config-error.ts'
import type { ConfigFile } from './config-file.ts'
import type { GlobalConfig } from 'sluice/sdk/host'
import type { Modifications } from './modifications.ts'
import { resolveGlobal, resolvePlugin, type Inputs } from './resolve.ts'
import type { SectionDefinition } from './schema.ts'
import type { Section } from './section.ts'

/** Does what must succeed before a changed `global` holds, such as to bind its addresses. */
export type Acceptance = (global: Readonly<GlobalConfig>) => Promise<void>

/** What the user wrote, as far as it can change while the server runs. */
export type Written = { readonly file: ConfigFile; readonly modified: Modifications }

/** A replacement of what the user wrote, or of a part of it. */
export type Rewrite = Partial<Written> & {
  /** Stores the replacement. Called once it was accepted; when it throws, the replacement does not take effect. */
  readonly keep?: (() => Promise<void>) | undefined
}

/** The section of a plugin that is there. */
export type Declared = {
  /** The newest comes first, though an older one may run until it can take over. */
  readonly definitions: readonly SectionDefinition[]
  /** By the first of them that the file suits. */
  readonly section: Section
}

/** All sections that hold at one time. */
export type Sections = {
  readonly global: Section
  /** By normalized name. */
  readonly declared: ReadonlyMap<string, Declared>
}

/** All sections that another text of the user's makes, and what that changes. */
export type Renewal = {
  readonly global: Section
  readonly declared: Map<string, Declared>
  readonly changes: readonly ConfigChange[]
  /** What is wrong; a section that is wrong is the one that was. */
  readonly problems: readonly Problem[]
}

/** Resolves all sections anew. */
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

/** The section by the first definition that the file suits; else the problems are those of the very first. */
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
