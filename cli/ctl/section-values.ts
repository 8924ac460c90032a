import type { Answer } from './answer.ts'

/** A key of a section of the config, with its value and the source of the value. */
export type ConfigValue = { readonly key: string; readonly value: unknown; readonly source: string }

/**
 * Returns the keys of a section as the server shows it (api.md 10: `config` and `sources`).
 * @param wanted the dotted path of one key, or of a group; as in a config file, case and `-` and `_` make no difference
 */
export function sectionValues(section: Answer, wanted?: string): ConfigValue[] {
  const sources = section.object('sources')
  const isWanted = (key: string) => {
    if (wanted === undefined) return true
    return normalized(key) === normalized(wanted) || normalized(key).startsWith(`${normalized(wanted)}.`)
  }
  return sources.names
    .filter(isWanted)
    .map((key) => ({ key, value: valueAt(section.value('config'), key), source: sources.text(key) }))
}

function valueAt(values: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((value, part) => {
    const isOpen = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return isOpen ? (value as Readonly<Record<string, unknown>>)[part] : undefined
  }, values)
}

function normalized(key: string): string {
  return key.toLowerCase().replaceAll(/[-_]/gu, '')
}
