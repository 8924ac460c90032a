import { registerHooks } from 'node:module'
import type { ModulePort } from 'sluice/sdk'
import { stripInPackages } from '../../build/strip-types.ts'
import { resolveForPlugin } from '../loading/module-hooks.ts'

/**
 * Runs a plugin's module where the host's own module hooks are not: it gets the host's sdk, and the packages that the host
 * lends to plugins which have none.
 * @throws what the module throws, or when it has no function as its default export
 */
export async function runModule(url: string, port: ModulePort): Promise<void> {
  registerHooks({ resolve: resolveForPlugin, load: stripInPackages })
  const { default: run } = (await import(url)) as { readonly default?: unknown }
  if (typeof run !== 'function') throw new TypeError('the module has no function as its default export')
  await Reflect.apply(run, undefined, [port])
}
