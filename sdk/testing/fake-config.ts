import { Ajv } from 'ajv'
import type { Static, TObject, TSchema } from 'typebox'
import { parseByteSize } from '../config/byte-size.ts'
import { parseDuration } from '../config/duration.ts'
import { expectation } from '../config/expectation.ts'
import { meantByText } from '../config/meant-by-text.ts'
import { parsePortRange } from '../config/port-range.ts'
import { InheritedConfig } from '../config/groups.ts'
import { GlobalConfig } from '../config/global/global-config.ts'
import { InvalidRequest } from '../errors/stream-errors.ts'
import type { ServerConfig } from '../plugin/context.ts'
import type { PluginConfig, PluginDefinition } from '../plugin/define-plugin.ts'

/** Config as it is written in a file: durations and sizes with their units, keys in the schema's spelling. */
export type WrittenConfig = { readonly [key: string]: unknown }

type Schema = {
  readonly format?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly required?: readonly string[] | undefined
}

/**
 * The effective config of a plugin, as a host makes it from the defaults of the schemas, the definition's own defaults
 * and a section of the config file; frozen. Values are not checked: that is the host's work.
 * @throws {Error} when the section has a key that no schema has, or a key has no value at all
 */
export function effectiveConfig<Own extends TObject>(
  definition: Pick<PluginDefinition<Own>, 'config' | 'defaults'>,
  written: WrittenConfig = {},
): PluginConfig<Own> {
  const own = (definition.config ?? {}) as Schema
  const inherited = InheritedConfig as Schema
  const schema = {
    properties: { ...inherited.properties, ...own.properties },
    required: [...(inherited.required ?? []), ...(own.required ?? [])],
  }
  return valueOf(schema, [written, definition.defaults], '') as PluginConfig<Own>
}

/**
 * The section `global` as plugins see it, made of the defaults and a section of the config file; frozen.
 * @throws {Error} as {@link effectiveConfig}
 */
export function globalConfig(written: WrittenConfig = {}): ServerConfig {
  const { db: _db, admin: _admin, ...shared } = valueOf(GlobalConfig as Schema, [written], '') as GlobalConfig
  return Object.freeze(shared)
}

/** Judges types, words and ranges; durations and sizes are judged by reading them. */
const typed = new Ajv({ strict: false, logger: false, validateFormats: false })

/** Reads a value given as text; see `PluginContext.readConfigText`. */
export function readConfigText<Of extends TSchema>(name: string, text: string, schema: Of): Static<Of> {
  const written = [text, ...meantByText(text)].find(
    (value) => typed.validate(schema, value) && isReadable(schema, value),
  )
  if (written === undefined) throw new InvalidRequest(`${name}: expected ${expectation(schema)}`)
  return convert(schema, written, name) as Static<Of>
}

function isReadable(schema: Schema, written: unknown): boolean {
  try {
    convert(schema, written, '')
    return true
  } catch {
    return false
  }
}

/** The value of a schema from the first source that has one; objects with named keys are put together key by key. */
function valueOf(schema: Schema, sources: readonly unknown[], path: string): unknown {
  if (schema.properties === undefined) return leafOf(schema, sources, path)
  const objects = sources.filter(isObject)
  const properties = Object.entries(schema.properties)
  for (const key of objects.flatMap((object) => Object.keys(object))) {
    if (!Object.hasOwn(schema.properties, key)) throw new Error(`there is no config key ${path}${key}`)
  }
  const entries = properties.flatMap(([key, property]) => {
    const given = objects.map((object) => object[key])
    return isUnset(schema, key, given) ? [] : [[key, valueOf(property, given, `${path}${key}.`)] as const]
  })
  return Object.freeze(Object.fromEntries(entries))
}

/** Returns true when a key has no value and needs none. */
function isUnset({ properties = {}, required = [] }: Schema, key: string, given: readonly unknown[]): boolean {
  const { default: ownDefault, properties: named } = properties[key] ?? {}
  return !required.includes(key) && [...given, ownDefault, named].every((value) => value === undefined)
}

function leafOf(schema: Schema, sources: readonly unknown[], path: string): unknown {
  const written = [...sources, schema.default].find((value) => value !== undefined)
  if (written === undefined) throw new Error(`config key ${path.slice(0, -1)} has neither value nor default`)
  return convert(schema, written, path)
}

function convert(schema: Schema, written: unknown, path: string): unknown {
  if (Array.isArray(written)) {
    return Object.freeze(written.map((item) => convert(schema.items ?? {}, item, path)))
  }
  if (isObject(written) && schema.properties !== undefined) return valueOf(schema, [written], path)
  const byPattern = Object.values(schema.patternProperties ?? {})[0]
  if (isObject(written) && byPattern !== undefined) {
    const entries = Object.entries(written).map(([key, value]) => [key, convert(byPattern, value, `${path}${key}.`)])
    return Object.freeze(Object.fromEntries(entries))
  }
  if (schema.format === 'duration' || (schema.format === 'auto-duration' && written !== 'auto')) {
    return parsed(parseDuration(String(written)), String(written), 'duration')
  }
  if (schema.format === 'port-range') return parsed(parsePortRange(String(written)), String(written), 'range of ports')
  if (schema.format !== 'byte-size') return written
  return parsed(parseByteSize(String(written)), String(written), 'size')
}

function parsed<Value>(value: Value | undefined, text: string, what: string): Value {
  if (value === undefined) throw new Error(`${text} is no ${what}`)
  return Object.freeze(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
