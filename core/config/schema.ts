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

/**
 * The time at which a change takes effect: at once, with the next generation of the plugins that have the key, or at the
 * next start.
 */
export type Apply = 'live' | 'reload' | 'restart'

/** The JSON Schema keywords that the config system itself uses or shows; ajv handles the others. */
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
  /** True when the key, or the keys of the group, have the value of `global` while no value is set for them here. */
  readonly 'x-inherited'?: boolean
  /** The time at which a change takes effect. */
  readonly 'x-apply'?: Apply
}

/** An object with the keys that the schema names. */
export type GroupSchema = JsonSchema & { readonly properties: Readonly<Record<string, JsonSchema>> }

export function hasNamedKeys(schema: JsonSchema): schema is GroupSchema {
  return schema.properties !== undefined
}

/** True for a group, whose keys are set, inherited and changed one by one within a section. */
export function isGroup(schema: JsonSchema): schema is GroupSchema {
  return hasNamedKeys(schema) && (schema.additionalProperties ?? false) === false
}

/** A key of a section that has a value of its own, as opposed to a group of keys. */
export type Leaf = {
  /** The dotted path in the schema's spelling: `publish.key`. */
  readonly path: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** The properties of a plugin that the config system uses. */
export type SectionDefinition<Schema extends TObject = TObject> = Pick<
  PluginDefinition<Schema>,
  'name' | 'config' | 'defaults' | 'provides' | 'protocol' | 'formerNames'
>

/** The key `enable` of each plugin. Plugins don't see it, as a disabled plugin does not run. */
const ENABLE = Type.Boolean({ default: true, description: 'Run this plugin' })

/** The keys a plugin inherits. */
export const INHERITED = InheritedConfig as GroupSchema

/** The keys of a plugin's own schema. */
export function ownSchema(definition: SectionDefinition): GroupSchema {
  return (definition.config as GroupSchema | undefined) ?? { type: 'object', properties: {} }
}

/** The keys of the host's rules for plugins that serve jobs, by the kind of the service. The plugins do not declare them. */
const JOBS = {
  pull: PullConfig as GroupSchema,
  push: PushConfig as GroupSchema,
  record: RecordConfig as GroupSchema,
}

/** True when the section of a plugin has rules of this kind, which are for the service with the plugin's own name. */
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

/** The schema of a plugin's whole section: `enable`, its own keys, the host's keys and those that every plugin has. */
export function sectionSchema(definition: SectionDefinition): GroupSchema {
  const own = ownSchema(definition)
  const { properties, required } = mergedGroup(mergedGroup(own, ruleSchema(definition)), INHERITED)
  return { type: 'object', properties: { enable: ENABLE, ...properties }, required: required ?? [] }
}

/**
 * The dotted path of the first of a plugin's own keys that has the name of a host's key; undefined when there is none. The
 * host reads its keys from the same section, and would read the plugin's value as its own.
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
    // A plugin may add further keys to a group of the host.
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

/** The keys of a plugin's section whose changes the host itself applies at once: rules and webhooks. */
export function hostKeys(definition: SectionDefinition): ReadonlySet<string> {
  return new Set([...leavesOf(ruleSchema(definition)), ...HOOK_LEAVES].map(({ path }) => path))
}

/** True when a key contains the host's rules, and is not a plugin's own key of the same name. */
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

/** True when a value of this schema is a secret or may contain one. */
export function holdsSecret(schema: JsonSchema): boolean {
  if (schema.writeOnly === true || HOLDS_SECRET.has(schema.format)) return true
  const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])]
  const named = [...Object.values(schema.properties ?? {}), ...Object.values(schema.patternProperties ?? {})]
  return [...parts, ...named].some((part) => typeof part === 'object' && holdsSecret(part))
}
