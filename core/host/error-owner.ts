import { AsyncLocalStorage } from 'node:async_hooks'
import { stackFrames } from '../base/mistake.ts'
import { pluginOfModule } from './loading/module-hooks.ts'

/** The name of the plugin that runs. No generation: work may outlive the one that began it. */
const running = new AsyncLocalStorage<string>()
const CORE = new URL('..', import.meta.url).href

/** Calls into a plugin. An error that escapes from what it begins there, timers and sockets included, is the plugin's. */
export function callPlugin<T>(plugin: string, call: () => T): T {
  return running.run(plugin, call)
}

/**
 * The owner of an error that escaped; to be asked where it is reported. An error of an operation that nobody awaited names
 * no code: it is nobody's, and has changed nothing by half.
 */
export function ownerOfError(error: unknown): { readonly plugin: string } | 'server' | undefined {
  const plugin = pluginOf(error)
  if (plugin !== undefined) return { plugin }
  return error instanceof Error && stackFrames(error).some((frame) => frame.includes(CORE)) ? 'server' : undefined
}

/** The plugin whose code an error comes from, or that has begun what runs where this is asked. */
export function pluginOf(error: unknown): string | undefined {
  return pluginOfStack(error) ?? running.getStore()
}

/** The plugin whose code shows in the stack of an error or of one of its causes. */
function pluginOfStack(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    for (const frame of stackFrames(cause)) {
      const plugin = pluginOfModule(frame)
      if (plugin !== undefined) return plugin
    }
  }
  return undefined
}
