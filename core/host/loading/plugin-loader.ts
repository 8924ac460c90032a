import { messageOf, type PluginDefinition } from 'sluice/sdk'
import { withTurningDeadline } from '../../base/deadline.ts'
import { callPlugin } from '../error-owner.ts'
import { checkDefinition } from './definition-check.ts'
import type { ModuleLoad } from './module-load.ts'
import { PluginError } from '../plugin-error.ts'

type Namespace = { readonly default?: unknown; readonly 'module.exports'?: unknown }

/** The file and the line at the top of a syntax error's stack. */
const SYNTAX_ERROR_PLACE = /^[^\n]*?([^/\\?\n]+\.[cm]?[jt]s)(?:\?\S*)?:(\d+)\n/

/**
 * Imports a plugin's entry and checks its default export.
 * @throws {PluginError} with a message that names the error in it
 */
export async function loadPlugin(load: ModuleLoad, timeoutMs: number): Promise<PluginDefinition> {
  const definition = checkDefinition(await importDefault(load, timeoutMs))
  load.plugin = definition.name
  load.settle()
  return definition
}

async function importDefault(load: ModuleLoad, timeoutMs: number): Promise<unknown> {
  const late = () => new PluginError(`can't be loaded: it did not finish within ${timeoutMs} ms`)
  try {
    const imported = callPlugin(load.plugin, () => import(load.url))
    const module: Namespace = await withTurningDeadline(imported, timeoutMs, late)
    return isUntouchedCommonJs(module) ? undefined : module.default
  } catch (cause) {
    if (cause instanceof PluginError) throw cause
    throw new PluginError(`can't be loaded: ${messageOf(cause)}${placeOf(cause)}`, { cause })
  }
}

/**
 * True for a file that neither imports nor exports: the runtime takes it for CommonJS, with an empty object as its default
 * export.
 */
function isUntouchedCommonJs({ default: exported, 'module.exports': exports }: Namespace): boolean {
  return typeof exports === 'object' && exports !== null && exports === exported && Object.keys(exports).length === 0
}

function placeOf(error: unknown): string {
  const [, file, line] = SYNTAX_ERROR_PLACE.exec(error instanceof Error ? (error.stack ?? '') : '') ?? []
  return file === undefined ? '' : ` (${file}:${line})`
}
