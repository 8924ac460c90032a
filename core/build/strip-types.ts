import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes, type LoadFnOutput, type LoadHookContext } from 'node:module'
import { fileURLToPath } from 'node:url'

type NextLoad = (url: string, context?: Partial<LoadHookContext>) => LoadFnOutput

const TYPESCRIPT_IN_PACKAGE = /^file:.*\/node_modules\/.*\.ts(?:\?|$)/u

/**
 * A module hook that takes the types out of TypeScript below `node_modules`, which the runtime refuses to do: the sources of
 * a server that was installed as a package lie there.
 */
export function stripInPackages(url: string, context: LoadHookContext, nextLoad: NextLoad): LoadFnOutput {
  if (!TYPESCRIPT_IN_PACKAGE.test(url)) return nextLoad(url, context)
  return { format: 'module', source: strip(readFileSync(fileURLToPath(url), 'utf8')), shortCircuit: true }
}

/** Strips the types without Node's warning that this is experimental, which users can do nothing about. */
function strip(code: string): string {
  const emitWarning = Reflect.get(process, 'emitWarning')
  try {
    process.emitWarning = () => {}
    return stripTypeScriptTypes(code)
  } finally {
    process.emitWarning = emitWarning
  }
}
