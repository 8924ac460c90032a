import { registerHooks } from 'node:module'
import type { ModulePort } from 'sluice/sdk'
import { stripInPackages } from '../../build/strip-types.ts'
import { resolveForPlugin } from '../loading/module-hooks.ts'

/**
 * Runs a plugin's module in a thread or process without the host's module hooks: it gets the host's sdk, and the host's
 * packages where the plugin has none.
 * @throws the module's error, or an error when its default export is no function
 */
export async function runModule(url: string, port: ModulePort): Promise<void> {
  registerHooks({ resolve: resolveForPlugin, load: stripInPackages })
  const { default: run } = (await import(url)) as { readonly default?: unknown }
  if (typeof run !== 'function') throw new TypeError('the module has no function as its default export')
  await Reflect.apply(run, undefined, [port])
}
