import { isDeepStrictEqual } from 'node:util'
import type { Problem } from './config-error.ts'
import { nearestKey, normalizeKey } from './key-name.ts'
import { MODIFICATION_PLACE } from './modifications.ts'
import { MASK } from './reading.ts'
import { holdsSecret, isGroup, leavesOf, type GroupSchema, type JsonSchema } from './schema.ts'
import type { Section } from './section.ts'
import type { Setting } from './settings.ts'
import { isNothing, type Spot, type ValueReader } from './value-reader.ts'
import type { YamlSource } from './yaml-source.ts'

/** A change of a section. */
export type SectionChange = {
  /** New values by dotted path. */
  readonly put: ReadonlyMap<string, Setting>
  /** Dotted paths of the keys whose values are removed. */
  readonly taken: ReadonlySet<string>
  readonly problems: readonly Problem[]
}

/**
 * Reads a client's change of a section: a map with some of its keys. Null removes the value that was set for a key, or for
 * all keys of a group. The mask of a secret means the secret itself.
 */
export function readSectionChange(source: YamlSource, section: Section): SectionChange {
  if (source.problems.length > 0) return { put: new Map(), taken: new Set(), problems: source.problems }
  return new ChangeReader(source, section).read()
}

/**
 * Reads the keys of a section to reset.
 * @param keys dotted paths of keys or groups; all unless given
 * @param set the dotted paths of the values set at run time, some perhaps of keys that only older code had
 */
export function readReset(
  keys: readonly string[] | undefined,
  { name, leaves }: Section,
  set: readonly string[],
): SectionChange {
  const problems: Problem[] = []
  const taken = new Set(keys === undefined ? set : [])
  const paths = [...leaves.map(({ path }) => path), ...set]
  for (const key of keys ?? []) {
    const wanted = normalizeKey(key)
    const named = paths.filter((path) => normalizeKey(path) === wanted || normalizeKey(path).startsWith(`${wanted}.`))
    for (const path of named) taken.add(path)
    if (named.length > 0) continue
    const nearest = nearestKey(key, paths)
    const hint = nearest === undefined ? '' : `, did you mean '${nearest}'?`
    problems.push({
      file: MODIFICATION_PLACE,
      line: 0,
      column: 0,
      key: `${name}.${key}`,
      message: `unknown key${hint}`,
    })
  }
  return { put: new Map(), taken, problems }
}

class ChangeReader {
  readonly #source: YamlSource
  readonly #section: Section
  readonly #reader: ValueReader
  readonly #put = new Map<string, Setting>()
  readonly #taken = new Set<string>()
  readonly #problems: Problem[] = []

  constructor(source: YamlSource, section: Section) {
    this.#source = source
    this.#section = section
    this.#reader = source.reader(section.schema)
  }

  read(): SectionChange {
    const { name, schema } = this.#section
    this.#readGroup(this.#source.contents, schema, { key: name, place: this.#source.place }, '')
    return { put: this.#put, taken: this.#taken, problems: [...this.#reader.problems, ...this.#problems] }
  }

  #readGroup(node: unknown, group: GroupSchema, spot: Spot, prefix: string): void {
    for (const entry of this.#reader.entries(node, group, spot) ?? []) {
      const schema = group.properties[entry.name] ?? {}
      const path = prefix + entry.name
      if (isGroup(schema)) {
        if (isNothing(entry.node)) for (const leaf of leavesOf(schema, `${path}.`)) this.#taken.add(leaf.path)
        else this.#readGroup(entry.node, schema, entry.spot, `${path}.`)
      } else if (isNothing(entry.node)) this.#taken.add(path)
      else this.#readLeaf(entry.node, schema, entry.spot, path)
    }
  }

  #readLeaf(node: unknown, schema: JsonSchema, spot: Spot, path: string): void {
    const sent = this.#source.valueOf(node)
    const now = this.#section.settings.get(path)
    const meant = now === undefined ? sent : unmasked(sent, now.shown, now.written)
    if (now !== undefined && meant !== sent && isDeepStrictEqual(meant, now.written)) return
    if (isMasked(meant, schema)) {
      this.#problems.push({ ...spot.place, key: spot.key, message: MASKED })
      return
    }
    const reading = this.#reader.read(meant === sent ? node : this.#source.nodeOf(meant), schema, spot)
    if (reading !== undefined) this.#put.set(path, { ...reading, place: spot.place })
  }
}

const MASKED = `has ${MASK} in place of a secret: send the secret itself, or leave the key out`

/** Returns a value that was sent, with the secrets in place of their masks; the very same value when it has no masks. */
function unmasked(sent: unknown, shown: unknown, written: unknown): unknown {
  if (isDeepStrictEqual(sent, shown)) return isDeepStrictEqual(shown, written) ? sent : written
  if (Array.isArray(sent) && Array.isArray(shown) && Array.isArray(written)) return unmaskedList(sent, shown, written)
  return isMap(sent) && isMap(shown) && isMap(written) ? unmaskedMap(sent, shown, written) : sent
}

/** Finds an element by its masked form, as elements may have been added or removed; else by its index. */
function unmaskedList(sent: readonly unknown[], shown: readonly unknown[], written: readonly unknown[]): unknown {
  const meant = sent.map((item, index) => {
    const alike = shown.findIndex((other) => isDeepStrictEqual(item, other))
    const place = isDeepStrictEqual(item, shown[index]) || alike === -1 ? index : alike
    return unmasked(item, shown[place], written[place])
  })
  return meant.every((item, index) => item === sent[index]) ? sent : meant
}

type JsonMap = Readonly<Record<string, unknown>>

function unmaskedMap(sent: JsonMap, shown: JsonMap, written: JsonMap): unknown {
  // Keys of the schema may be sent in another spelling; keys that the user chose are compared exactly.
  const names = new Map(Object.keys(shown).map((name) => [normalizeKey(name), name]))
  const meant = Object.entries(sent).map(([key, item]) => {
    const name = Object.hasOwn(shown, key) ? key : (names.get(normalizeKey(key)) ?? key)
    return [key, Object.hasOwn(shown, name) ? unmasked(item, shown[name], written[name]) : item] as const
  })
  return meant.every(([key, item]) => item === sent[key]) ? sent : Object.fromEntries(meant)
}

/** True when a value has a mask where a secret may be. */
function isMasked(value: unknown, schema: JsonSchema): boolean {
  const text = JSON.stringify(value) ?? ''
  return holdsSecret(schema) ? text.includes(MASK) : text.includes(`://${MASK}@`)
}

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
