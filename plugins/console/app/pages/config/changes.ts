import { choicesOf, SECRET_MASK, valuesOf, type FieldSchema } from '../../kit/form/field-schema.ts'
import { isSame } from '../../kit/form/validator.ts'
import { unmodified, type Leaf, type Section } from './section-model.ts'

/** The values that were typed, by the dotted path of the key; null takes back what was set at run time. */
export type Edits = ReadonlyMap<string, unknown>

/** A key that is to have another value. */
export type Change = {
  readonly leaf: Leaf
  /** The new value; null takes back what was set at run time. */
  readonly to: unknown
  /** The value that holds then. */
  readonly result: unknown
}

/** The edits that change something, in the order of the section. A mask of a secret is the secret itself. */
export function changesOf({ leaves }: Section, edits: Edits): readonly Change[] {
  return [...leaves.values()].flatMap((leaf): Change[] => {
    const to = edits.get(leaf.path)
    if (to === undefined || isSame(to, leaf.value)) return []
    if (to === null) return leaf.source === 'modify' ? [{ leaf, to, result: unmodified(leaf)?.value }] : []
    return [{ leaf, to, result: to }]
  })
}

/** The changed keys as a config has them: each dotted path is a nested key. */
export function configOf(changes: readonly Pick<Change, 'leaf' | 'to'>[]): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = {}
  for (const { leaf, to } of changes) {
    const names = leaf.path.split('.')
    const last = names.pop() ?? ''
    let group = root
    for (const name of names) group = (group[name] ??= {}) as Record<string, unknown>
    group[last] = to
  }
  return root
}

/** The text of a value for people. What is typed for a secret is not in it. */
export function shownText(schema: FieldSchema, value: unknown): string {
  const shown = withoutSecrets(schema, value)
  const choice = choicesOf(schema)?.find((one) => one.value === shown)
  if (choice !== undefined) return choice.title
  return typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? '')
}

/** The value with masks in place of the secrets that its schema names. */
function withoutSecrets(schema: FieldSchema, value: unknown): unknown {
  if (schema.writeOnly === true) return value === '' || value === undefined ? value : SECRET_MASK
  const [only, ...others] = schema.anyOf ?? []
  if (only !== undefined && others.length === 0) return withoutSecrets(only, value)
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(schema.items ?? {}, item))
  if (typeof value !== 'object' || value === null) return value
  const rest = valuesOf(schema) ?? {}
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    withoutSecrets(schema.properties?.[key] ?? rest, one),
  ])
  return Object.fromEntries(entries) as unknown
}

/** True where a value has the mask of a secret in it, which only the server can take for the secret. */
export function hasMask(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').includes(SECRET_MASK)
}
