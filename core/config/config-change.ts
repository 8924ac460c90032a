import { isDeepStrictEqual } from 'node:util'
import type { Section } from './section.ts'

/** What a reload changed in a section. */
export type ConfigChange = {
  /** `global` or the name of a plugin. */
  readonly section: string
  /** Dotted paths of the keys whose effective value is another one. */
  readonly keys: readonly string[]
}

/** What another version of a section changes; an empty list when that is nothing. */
export function changesBetween(old: Section, section: Section): ConfigChange[] {
  const keys = section.leaves
    .map(({ path }) => path)
    .filter((path) => !isDeepStrictEqual(old.settings.get(path)?.value, section.settings.get(path)?.value))
  return keys.length === 0 ? [] : [{ section: section.name, keys }]
}
