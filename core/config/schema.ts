import type { TObject } from 'typebox'
import {
  HookConfig,
  InheritedConfig,
  PullConfig,
  PushConfig,
  RecordConfig,
  Type,
  type PluginDefinition,
} from 'sluice/sdk'
import { normalizeKey } from './key-name.ts'

/** A change takes effect at once, by another generation of the plugins that have the key, or at the next start. */
export type Apply = 'live' | 'reload' | 'restart'

/** The JSON Schema keywords that the config system itself acts on, or shows; ajv knows the rest. */
export type JsonSchema = {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
  readonly required?: readonly string[] | undefined
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly writeOnly?: boolean
  readonly durationMaximum?: string
  /** The key, or keys of the group, have the value of `global` while nothing is set for them here. */
  readonly 'x-inherited'?: boolean
  /** How a change takes effect. */
  readonly 'x-apply'?: Apply
}

/** An object with keys that the schema names. */
export type GroupSchema = JsonSchema & { readonly properties: Readonly<Record<string, JsonSchema>> }

export function hasNamedKeys(schema: JsonSchema): schema is GroupSchema {
  return schema.properties !== undefined
}

/** Within a section, the keys of a group are set, inherited and changed one by one. */
export function isGroup(schema: JsonSchema): schema is GroupSchema {
  return hasNamedKeys(schema) && (schema.additionalProperties ?? false) === false
}

/** A key of a section that has a value of its own, as opposed to a group of keys. */
export type Leaf = {
  /** Dotted, in the schema's spelling: `publish.key`. */
  readonly path: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** What the config system needs of a plugin. */
export type SectionDefinition<Schema extends TObject = TObject> = Pick<
  PluginDefinition<Schema>,
  'name' | 'config' | 'defaults' | 'provides' | 'protocol' | 'formerNames'
>

/** Each plugin has it, but plugins don't see it: a disabled plugin isn't there to see it. */
const ENABLE = Type.Boolean({ default: true, description: 'Run this plugin' })

/** The keys a plugin inherits. */
export const INHERITED = InheritedConfig as GroupSchema

/** The keys of a plugin's own schema. */
export function ownSchema(definition: SectionDefinition): GroupSchema {
  return (definition.config as GroupSchema | undefined) ?? { type: 'object', properties: {} }
}

/** What the host does for plugins that serve jobs, by the kind of the service that they provide; they need not know of it. */
const JOBS = {
  pull: PullConfig as GroupSchema,
  push: PushConfig as GroupSchema,
  record: RecordConfig as GroupSchema,
}

/** Whether the section of a plugin has rules of this kind: they are for the service that has the plugin's own name. */
export function hasRules(
  { name, provides }: Pick<PluginDefinition, 'name' | 'provides'>,
  kind: keyof typeof JOBS,
): boolean {
  return provides?.includes(`${kind}:${name}`) ?? false
}

/** The keys of the rules that the section of a plugin has. */
function ruleSchema(definition: SectionDefinition): GroupSchema {
  const kinds = (Object.keys(JOBS) as (keyof typeof JOBS)[]).filter((kind) => hasRules(definition, kind))
  return kinds.map((kind) => JOBS[kind]).reduce(mergedGroup, { type: 'object', properties: {} })
}

/** The schema of a plugin's whole section: `enable`, its own keys, those the host acts on and those every plugin has. */
export function sectionSchema(definition: SectionDefinition): GroupSchema {
  const own = ownSchema(definition)
  const { properties, required } = mergedGroup(mergedGroup(own, ruleSchema(definition)), INHERITED)
  return { type: 'object', properties: { enable: ENABLE, ...properties }, required: required ?? [] }
}

/**
 * The first of a plugin's own keys that has the name of one the host acts on, dotted; undefined when there is none. The
 * host reads its keys from the same section, so it would take the plugin's value for its own.
 */
export function takenKey(definition: SectionDefinition): string | undefined {
  const rules = ruleSchema(definition).properties
  return firstTaken(ownSchema(definition), { properties: { enable: ENABLE, ...rules, ...INHERITED.properties } })
}

function firstTaken(own: GroupSchema, host: GroupSchema, prefix = ''): string | undefined {
  const hosts = new Map(Object.entries(host.properties).map(([name, schema]) => [normalizeKey(name), { name, schema }]))
  for (const [name, schema] of Object.entries(own.properties)) {
    const other = hosts.get(normalizeKey(name))
    if (other === undefined) continue
    // To a group of the host's, further keys can be added.
    if (name !== other.name || !isGroup(schema) || !isGroup(other.schema)) return prefix + name
    const taken = firstTaken(schema, other.schema, `${prefix}${name}.`)
    if (taken !== undefined) return taken
  }
  return undefined
}

/** Keys of `first` come first and win; where both have a group, the groups are merged. */
function mergedGroup(first: GroupSchema, second: GroupSchema): GroupSchema {
  const properties: Record<string, JsonSchema> = { ...first.properties }
  for (const [name, schema] of Object.entries(second.properties)) {
    const mine = properties[name]
    if (mine === undefined) properties[name] = schema
    else if (isGroup(mine) && isGroup(schema)) properties[name] = mergedGroup(mine, schema)
  }
  return { ...second, ...first, properties, required: [...(first.required ?? []), ...(second.required ?? [])] }
}

/** All leaves below a group, in the order of the schema. */
export function leavesOf(group: GroupSchema, prefix = ''): Leaf[] {
  return Object.entries(group.properties).flatMap(([name, schema]) => {
    const path = prefix + name
    if (isGroup(schema)) return leavesOf(schema, `${path}.`)
    return [{ path, schema, required: group.required?.includes(name) ?? false }]
  })
}

const RULE_LEAVES = Object.values(JOBS).flatMap((group) => leavesOf(group))

const HOOK_LEAVES = leavesOf({ properties: { hook: HookConfig as GroupSchema } })

/** The keys of a plugin's section that the host acts on by itself, whenever they change: rules and webhooks. */
export function hostKeys(definition: SectionDefinition): ReadonlySet<string> {
  return new Set([...leavesOf(ruleSchema(definition)), ...HOOK_LEAVES].map(({ path }) => path))
}

/** Whether a key holds rules, as opposed to one that a plugin gave the same name. */
export function isRuleLeaf({ schema }: Leaf): boolean {
  return RULE_LEAVES.some((leaf) => leaf.schema === schema)
}

const HOLDS_SECRET: ReadonlySet<string | undefined> = new Set([
  'alias-target',
  'source-url',
  'target-url',
  'webhook-url',
  'proxy-url',
  'database',
])

/** Whether a value of this schema is a secret or may hold one. */
export function holdsSecret(schema: JsonSchema): boolean {
  if (schema.writeOnly === true || HOLDS_SECRET.has(schema.format)) return true
  const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])]
  const named = [...Object.values(schema.properties ?? {}), ...Object.values(schema.patternProperties ?? {})]
  return [...parts, ...named].some((part) => typeof part === 'object' && holdsSecret(part))
}
