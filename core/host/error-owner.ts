import { AsyncLocalStorage } from 'node:async_hooks'
import { stackFrames } from '../base/mistake.ts'
import { pluginOfModule } from './loading/module-hooks.ts'

/** The name of the plugin whose work runs. It has no generation, as work may outlive the generation that began it. */
const running = new AsyncLocalStorage<string>()
/** The folders of the server's own code, to which the command line belongs. */
const OWN_FOLDERS = ['../../core/', '../../cli/'].map((folder) => new URL(folder, import.meta.url).href)

/** Calls into a plugin. Errors of the call, and of the timers and sockets that it creates, are attributed to the plugin. */
export function callPlugin<T>(plugin: string, call: () => T): T {
  return running.run(plugin, call)
}

/**
 * The owner of an uncaught error; to be called in the handler that reports it. The error of an unawaited file or network
 * operation has no code in its stack: it has no owner, and has left nothing half done.
 */
export function ownerOfError(error: unknown): { readonly plugin: string } | 'server' | undefined {
  const plugin = pluginOf(error)
  if (plugin !== undefined) return { plugin }
  return error instanceof Error && stackFrames(error).some(isOwn) ? 'server' : undefined
}

function isOwn(frame: string): boolean {
  return OWN_FOLDERS.some((folder) => frame.includes(folder))
}

/** The plugin whose code an error comes from, or whose work runs at the time of the call. */
export function pluginOf(error: unknown): string | undefined {
  return pluginOfStack(error) ?? running.getStore()
}

/** The plugin whose code is in the stack of an error or of one of its causes. */
function pluginOfStack(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    for (const frame of stackFrames(cause)) {
      const plugin = pluginOfModule(frame)
      if (plugin !== undefined) return plugin
    }
  }
  return undefined
}
