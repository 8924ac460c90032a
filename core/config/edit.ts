import { isDeepStrictEqual } from 'node:util'
import { ConfigError } from './config-error.ts'
import { normalizeKey } from './key-name.ts'
import type { Modification, Modifications } from './modifications.ts'
import type { SectionChange } from './section-change.ts'
import type { Section } from './section.ts'
import type { Setting } from './settings.ts'

/** Keys that are needed to open the database of the values set at run time, and so can't be stored in it. */
const OPENING_KEYS: ReadonlySet<string> = new Set(['datadir', 'db.dsn', 'db.dbtype'])

/** The author, the time and the storage of an edit. */
export type EditTerms = {
  /** The name of the user who edits. */
  readonly by: string
  readonly atMs: number
  /** True when the values outlive the server. */
  readonly isStored: boolean
}

/** The values set at run time after an edit of a section. */
export type Edited = {
  /** The values for the database. */
  readonly stored: Modifications
  readonly isStoreChanged: boolean
  /** The values that take effect. */
  readonly modified: Modifications
}

/**
 * Applies a change of a section to the values set at run time. A key that would have the new value anyway is not stored, and
 * its stored value is removed (config.md 2).
 * @param stored the values in the database
 * @param held the values in effect
 * @throws {ConfigError} when a value of the change is wrong, or its key is needed to open the database
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
