import { AsyncLocalStorage } from 'node:async_hooks'
import { pluginOfStack } from './loading/module-hooks.ts'

/** By name only: what has begun for a plugin may outlive the generation that began it. */
const running = new AsyncLocalStorage<string>()
const CORE = new URL('..', import.meta.url).href

/** Calls into a plugin. An error that escapes from what it begins there, timers and sockets included, is the plugin's. */
export function callPlugin<T>(plugin: string, call: () => T): T {
  return running.run(plugin, call)
}

/**
 * Whose an escaped error is; to be asked where it is reported. An error of an operation that nobody awaited names no
 * code: it is nobody's, and has changed nothing by half.
 */
export function ownerOfError(error: unknown): { readonly plugin: string } | 'server' | undefined {
  const plugin = pluginOfStack(error) ?? running.getStore()
  if (plugin !== undefined) return { plugin }
  return error instanceof Error && (error.stack ?? '').includes(CORE) ? 'server' : undefined
}
