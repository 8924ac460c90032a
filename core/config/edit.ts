import { isDeepStrictEqual } from 'node:util'
import { ConfigError } from './config-error.ts'
import { normalizeKey } from './key-name.ts'
import type { Modification, Modifications } from './modifications.ts'
import type { SectionChange } from './section-change.ts'
import type { Section } from './section.ts'
import type { Setting } from './settings.ts'

/** Keys without which the database can't be opened that keeps what is set at run time. */
const OPENING_KEYS: ReadonlySet<string> = new Set(['datadir', 'db.dsn', 'db.dbtype'])

/** Who edits a section, when, and whether that is stored. */
export type EditTerms = {
  /** The name of who edits. */
  readonly by: string
  readonly atMs: number
  /** Whether what is set outlives the server. */
  readonly isStored: boolean
}

/** What is set at run time after an edit of a section. */
export type Edited = {
  /** What is to be in the database. */
  readonly stored: Modifications
  readonly isStoreChanged: boolean
  /** All that holds. */
  readonly modified: Modifications
}

/**
 * Applies a change of a section to what is set at run time. A key that would have the new value anyway is not stored, and what was
 * stored for it is removed (config.md 2).
 * @param stored what is in the database
 * @param held what holds now
 * @throws {ConfigError} when something in the change is wrong, or needed to open the database
 */
export function edit(
  section: Section,
  { stored, held }: { readonly stored: Modifications; readonly held: Modifications },
  change: SectionChange,
  terms: EditTerms,
): Edited {
  const { put, taken } = change
  const set = [...put].filter(([path, { value }]) => {
    return !terms.isStored || !isDeepStrictEqual(value, section.unmodified(path)?.value)
  })
  const problems = [...change.problems, ...set.flatMap((entry) => openingProblems(section, entry))]
  if (problems.length > 0) throw new ConfigError(problems)
  const touched = new Set([...put.keys(), ...taken])
  const modifications = set.map(([path, { written }]): Modification => {
    const same = stored.of(section.name).find((one) => one.path === path && isDeepStrictEqual(one.value, written))
    return terms.isStored && same ? same : { section: normalizeKey(section.name), path, value: written, ...terms }
  })
  const passing = held.passing.with(section.name, touched, terms.isStored ? [] : modifications)
  if (!terms.isStored) return { stored, isStoreChanged: false, modified: stored.withPassing(passing) }
  const before = valuesIn(stored, section.name)
  const next = stored.next(section.name, touched, modifications)
  const isStoreChanged = !isDeepStrictEqual(before, valuesIn(next, section.name))
  const kept = isStoreChanged ? next : stored
  return { stored: kept, isStoreChanged, modified: kept.withPassing(passing) }
}

function openingProblems({ name }: Section, [path, { place }]: readonly [string, Setting]) {
  if (name !== 'global' || !OPENING_KEYS.has(path)) return []
  const message = 'is needed to open the database that keeps what is set at run time: set it in the file or environment'
  return [{ ...place, key: `${name}.${path}`, message }]
}

function valuesIn(modified: Modifications, section: string): ReadonlyMap<string, unknown> {
  return new Map(modified.of(section).map(({ path, value }) => [path, value]))
}
