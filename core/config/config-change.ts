import { isDeepStrictEqual } from 'node:util'
import type { Section } from './section.ts'

/** The keys that a reload changed in a section. */
export type ConfigChange = {
  /** `global` or the name of a plugin. */
  readonly section: string
  /** Dotted paths of the keys whose effective value has changed. */
  readonly keys: readonly string[]
}

/** Compares two versions of a section; an empty list when no effective value differs. */
export function changesBetween(old: Section, section: Section): ConfigChange[] {
  const keys = section.leaves
    .map(({ path }) => path)
    .filter((path) => !isDeepStrictEqual(old.settings.get(path)?.value, section.settings.get(path)?.value))
  return keys.length === 0 ? [] : [{ section: section.name, keys }]
}
