import type { Hooks, PluginDefinition } from 'sluice/sdk'
import { takenKey } from '../../config/schema.ts'
import { PluginError } from '../plugin-error.ts'
import { checkPages } from './page-check.ts'

/** The major version of the sdk that this host offers; it must be the `sdk` field of a plugin. */
const SDK_VERSION = 1

/** The name of the section that plugins inherit from. */
const RESERVED_NAME = 'global'
/** The beginning of the names of the server's own tables. */
const SERVER_TABLES = 'sluice'
const NAME = /^[a-z][a-z0-9-]*$/
const SDK_RANGE = /^[\^~]?v?(\d+)(?:\.\d+){0,2}$/
const LISTS = ['requires', 'provides', 'notices', 'live', 'mounts'] as const
/** Notices that only the server sends. */
const SERVER_HOOKS: readonly string[] = [
  'publish',
  'subscribe',
  'talk',
  'lead',
  'resolve',
  'adapt',
  'published',
  'unpublished',
  'track',
  'subscribed',
  'unsubscribed',
  'started',
] satisfies (keyof Hooks)[]
const FIELD_TYPES = [
  ['description', 'string'],
  ['endpoints', 'function'],
  ['closingNotice', 'boolean'],
  ['defaults', 'object'],
] as const

/**
 * Checks that the default export of a plugin's entry is a definition.
 * @throws {PluginError} with a message that names the error in it
 */
export function checkDefinition(exported: unknown): PluginDefinition {
  if (exported === undefined) throw new PluginError('has no default export; write `export default definePlugin({ … })`')
  if (!isObject(exported)) throw new PluginError(`exports ${kindOf(exported)} by default, not a plugin definition`)
  const { name, version, sdk, config, setup } = exported
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new PluginError(`has a bad name, ${show(name)}: it must be lower-case letters, digits and dashes`)
  }
  if (name === RESERVED_NAME) throw new PluginError(`may not be called '${name}', as the config section of all plugins`)
  if (typeof version !== 'string' || version === '') throw new PluginError('has no version; write it as a string')
  if (sdk !== undefined) checkSdk(sdk)
  if (typeof setup !== 'function') throw new PluginError('has no setup function')
  if (config !== undefined && !(isObject(config) && config['type'] === 'object' && isObject(config['properties']))) {
    throw new PluginError('has a config that is no object schema; write `Type.Object({ … })`')
  }
  for (const field of LISTS) {
    if (exported[field] !== undefined && !isListOfStrings(exported[field])) {
      throw new PluginError(`has a bad ${field}, ${show(exported[field])}: it must be a list of strings`)
    }
  }
  for (const [field, type] of FIELD_TYPES) {
    const value = exported[field]
    if (value !== undefined && typeof value !== type)
      throw new PluginError(`has a bad ${field}: it must be of type ${type}`)
  }
  const { processes } = exported
  if (processes !== undefined && processes !== 'each' && processes !== 'one') {
    throw new PluginError(`has a bad processes, ${show(processes)}: write 'each' or 'one'`)
  }
  checkPages(exported['pages'], exported['mounts'])
  checkTables(name, exported['tables'])
  const definition = exported as unknown as PluginDefinition
  const reserved = definition.notices?.find((notice) => SERVER_HOOKS.includes(notice))
  if (reserved !== undefined) throw new PluginError(`has a notice '${reserved}', which is a hook of the server`)
  const taken = takenKey(definition)
  if (taken !== undefined) {
    throw new PluginError(
      `has a config key '${taken}', which the host has already: call it otherwise, or set it by \`defaults\``,
    )
  }
  return definition
}

function checkTables(name: string, tables: unknown): void {
  if (tables === undefined) return
  if (name === SERVER_TABLES || name.startsWith(`${SERVER_TABLES}-`)) {
    throw new PluginError(
      `may not be called '${name}' and have tables: the names of the server's own begin with '${SERVER_TABLES}_'`,
    )
  }
  const migrations = isObject(tables) ? Object.entries(tables) : []
  const bad = migrations.find(([, migration]) => !isObject(migration) || typeof migration['up'] !== 'function')
  if (bad !== undefined || migrations.length === 0) {
    throw new PluginError(`has bad tables: write migrations by name, \`{ '001-${name}': { up: (db) => … } }\``)
  }
}

function checkSdk(sdk: unknown): void {
  const major = typeof sdk === 'string' ? SDK_RANGE.exec(sdk)?.[1] : undefined
  if (major === undefined) throw new PluginError(`has a bad sdk version, ${show(sdk)}; write '^${SDK_VERSION}'`)
  if (Number(major) !== SDK_VERSION) {
    throw new PluginError(`is written for sdk ${String(sdk)}, and this host offers ${SDK_VERSION}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}
