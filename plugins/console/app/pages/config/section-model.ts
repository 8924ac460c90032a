import type { FieldSchema } from '../../kit/form/field-schema.ts'

/** The schema of a key as the server tells it. */
export type KeySchema = FieldSchema & {
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly 'x-inherited'?: boolean
  readonly 'x-apply'?: Apply
}

/** The time at which a change takes effect: at once, with a new generation of the plugin, or at the server's next start. */
export type Apply = 'live' | 'reload' | 'restart'

/** A value that is set for a key somewhere. */
export type Layer = {
  readonly source: string
  readonly value: unknown
  readonly place: string
  readonly by?: string
  readonly time?: string
}

/** A key of a section. */
export type Leaf = {
  /** Dotted: `publish.key`. */
  readonly path: string
  readonly title: string
  readonly schema: KeySchema
  readonly isInherited: boolean
  readonly apply: Apply
  /** Undefined where none is set, and there is no default. */
  readonly value: unknown
  readonly source: string | undefined
  /** The values that are set, the strongest first. */
  readonly layers: readonly Layer[]
}

/** Keys that are shown together. */
export type Group = {
  /** Empty for the keys without a group. */
  readonly path: string
  /** Undefined for the keys without a group. */
  readonly title: string | undefined
  readonly description: string | undefined
  readonly isInherited: boolean
  readonly leaves: readonly Leaf[]
  readonly groups: readonly Group[]
}

/** A section of the config: its keys in groups, those that it inherits from `global` last. */
export type Section = { readonly groups: readonly Group[]; readonly leaves: ReadonlyMap<string, Leaf> }

/** The answers of the server that a section is made of. */
export type SectionParts = {
  readonly schema: KeySchema
  readonly config: Readonly<Record<string, unknown>>
  readonly sources: Readonly<Record<string, string>>
  readonly layers: ReadonlyMap<string, readonly Layer[]>
}

/** The key that runs a plugin, which is shown above all groups. */
export const ENABLE_KEY = 'enable'

export function sectionOf(parts: SectionParts): Section {
  const root = groupOf(parts, '', parts.schema, false)
  const loose = root.leaves.filter(({ path }) => path !== ENABLE_KEY)
  const own = loose.filter(({ isInherited }) => !isInherited)
  const inherited = loose.filter(({ isInherited }) => isInherited)
  const looseGroup = (isInherited: boolean, leaves: readonly Leaf[]): Group[] =>
    leaves.length === 0
      ? []
      : [{ ...root, path: isInherited ? '*' : '', title: undefined, isInherited, leaves, groups: [] }]
  const groups = [
    ...looseGroup(false, own),
    ...root.groups.filter(({ isInherited }) => !isInherited),
    ...looseGroup(true, inherited),
    ...root.groups.filter(({ isInherited }) => isInherited),
  ]
  return { groups, leaves: new Map(leavesOf([root]).map((leaf) => [leaf.path, leaf])) }
}

/** All keys of groups, and of the groups in them. */
export function leavesOf(groups: readonly Group[]): Leaf[] {
  return groups.flatMap(({ leaves, groups: inner }) => [...leaves, ...leavesOf(inner)])
}

/** Groups with nothing but the keys that pass; a group without any is left out. */
export function filtered(groups: readonly Group[], passes: (leaf: Leaf, group: Group) => boolean): readonly Group[] {
  return groups
    .map((group) => ({
      ...group,
      leaves: group.leaves.filter((leaf) => passes(leaf, group)),
      groups: filtered(group.groups, passes),
    }))
    .filter(({ leaves, groups: inner }) => leaves.length > 0 || inner.length > 0)
}

/** True when a key, or the title of its group, has all words of a search. */
export function isFound({ path, title, schema }: Leaf, group: Group, search: string): boolean {
  const text = `${path} ${title} ${group.title ?? ''} ${schema.title ?? ''} ${schema.description ?? ''}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word))
}

/** The value that a key would have without those set at run time. */
export function unmodified({ layers }: Leaf): Layer | undefined {
  return layers.find(({ source }) => source !== 'modify')
}

/** True for a value that was set in the section itself. */
export function isSetHere(source: string | undefined): boolean {
  return source === 'file' || source === 'env' || source === 'modify'
}

function groupOf(parts: SectionParts, path: string, schema: KeySchema, isInherited: boolean): Group {
  const leaves: Leaf[] = []
  const groups: Group[] = []
  for (const [name, one] of Object.entries(schema.properties ?? {})) {
    const inner = path === '' ? name : `${path}.${name}`
    const isOneInherited = one['x-inherited'] === true
    if (isGroup(one)) groups.push(groupOf(parts, inner, one, isOneInherited))
    else leaves.push(leafOf(parts, inner, one, isOneInherited))
  }
  return { path, title: titleOf(path, schema), description: schema.description, isInherited, leaves, groups }
}

function leafOf(
  { config, sources, layers }: SectionParts,
  path: string,
  schema: KeySchema,
  isInherited: boolean,
): Leaf {
  return {
    path,
    title: titleOf(path, schema),
    schema,
    isInherited,
    apply: schema['x-apply'] ?? 'reload',
    value: valueAt(config, path),
    source: sources[path],
    layers: layers.get(path) ?? [],
  }
}

function titleOf(path: string, { title }: KeySchema): string {
  return title ?? path.slice(path.lastIndexOf('.') + 1)
}

/** A group has keys of its own; a value that is an object with further keys is set as a whole. */
function isGroup({ properties, additionalProperties = false }: KeySchema): boolean {
  return properties !== undefined && additionalProperties === false
}

function valueAt(config: unknown, path: string): unknown {
  let value = config
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
