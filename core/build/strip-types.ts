import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes, type LoadFnOutput, type LoadHookContext } from 'node:module'
import { fileURLToPath } from 'node:url'

type NextLoad = (url: string, context?: Partial<LoadHookContext>) => LoadFnOutput

const TYPESCRIPT_IN_PACKAGE = /^file:.*\/node_modules\/.*\.ts(?:\?|$)/u

/**
 * A module hook that takes the types out of TypeScript below `node_modules`, which the runtime refuses to do: there lie the
 * sources of a server that was installed as a package.
 */
export function stripInPackages(url: string, context: LoadHookContext, nextLoad: NextLoad): LoadFnOutput {
  if (!TYPESCRIPT_IN_PACKAGE.test(url)) return nextLoad(url, context)
  const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
  return { format: 'module', source, shortCircuit: true }
}
