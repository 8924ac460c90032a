import { normalizeKey } from './key-name.ts'
import type { Problem } from './config-error.ts'
import { nested, readSettings, type SettingMap } from './settings.ts'
import type { GroupSchema } from './schema.ts'
import { YamlSource } from './yaml-source.ts'

/** The `file` in the places of values that were set at run time. */
export const MODIFICATION_PLACE = 'config modify'

/** A value that an operator set at run time. */
export type Modification = {
  /** The normalized name of the section: `global`, or that of a plugin. */
  readonly section: string
  /** The dotted path of the key, in the schema's spelling. */
  readonly path: string
  /** The value as JSON with canonical keys, and durations and sizes as in a file. */
  readonly value: unknown
  /** The name of the user who set it. */
  readonly by: string
  readonly atMs: number
  /** False for a value that is not in the database, and is lost when the server ends. */
  readonly isStored: boolean
}

/** The values that were set at run time, in all sections. Immutable. */
export class Modifications {
  readonly #sections: ReadonlyMap<string, readonly Modification[]>
  readonly #revisions: ReadonlyMap<string, number>

  /** @param revisions the revisions of the sections in the database, by normalized name */
  constructor(all: Iterable<Modification> = [], revisions: ReadonlyMap<string, number> = new Map()) {
    this.#sections = Map.groupBy(all, ({ section }) => section)
    this.#revisions = revisions
  }

  get all(): readonly Modification[] {
    return [...this.#sections.values()].flat()
  }

  of(section: string): readonly Modification[] {
    return this.#sections.get(normalizeKey(section)) ?? []
  }

  /** The number of stored changes of a section, by which writers detect the changes of others. */
  revisionOf(section: string): number {
    return this.#revisions.get(normalizeKey(section)) ?? 0
  }

  /** The numbers of stored changes, by section. */
  get revisions(): readonly (readonly [section: string, revision: number])[] {
    return [...this.#revisions]
  }

  /** The values that are not in the database. */
  get passing(): Modifications {
    return new Modifications(this.all.filter(({ isStored }) => !isStored))
  }

  /** The values that are in the database. */
  get stored(): Modifications {
    return new Modifications(
      this.all.filter(({ isStored }) => isStored),
      this.#revisions,
    )
  }

  /** A copy without some keys of a section, and with other values. */
  with(section: string, taken: ReadonlySet<string>, put: readonly Modification[]): Modifications {
    const kept = this.all.filter((one) => one.section !== normalizeKey(section) || !taken.has(one.path))
    return new Modifications([...kept, ...put], this.#revisions)
  }

  /** As `with`, at the section's next revision. */
  next(section: string, taken: ReadonlySet<string>, put: readonly Modification[]): Modifications {
    const revision = this.revisionOf(section) + 1
    const revisions = new Map([...this.#revisions, [normalizeKey(section), revision]])
    return new Modifications(this.with(section, taken, put).all, revisions)
  }

  /** A copy in which the values of `passing` replace those of the same keys. */
  withPassing(passing: Modifications): Modifications {
    const keyOf = ({ section, path }: Modification) => `${section}.${path}`
    const replaced = new Set(passing.all.map(keyOf))
    return new Modifications([...this.all.filter((one) => !replaced.has(keyOf(one))), ...passing.all], this.#revisions)
  }

  /** Reads the values that are set in a section, by its schema. */
  read(section: string, schema: GroupSchema, problems: Problem[]): SettingMap {
    const values = this.of(section).map(({ path, value }) => [path, value] as const)
    const source = YamlSource.of(MODIFICATION_PLACE, nested(values))
    const reader = source.reader(schema)
    const settings = readSettings(reader, source.contents, schema, { key: section, place: source.place })
    problems.push(...reader.problems)
    return settings
  }
}
