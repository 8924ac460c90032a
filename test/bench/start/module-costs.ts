import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

type CallFrame = { readonly url: string; readonly lineNumber: number; readonly columnNumber: number }
type CpuProfile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame & { readonly functionName: string } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The time that the code of a package, or of a folder of the project, took by itself. */
export type Cost = { readonly name: string; readonly ms: number }

/** Adds up a CPU profile by packages and folders, the dearest first; frames of a build are named by their sources. */
export async function costsOf(file: string): Promise<Cost[]> {
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(file, 'utf8')) as CpuProfile
  const names = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame) ?? callFrame.functionName]))
  const totalUs = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? '?'
    totalUs.set(name, (totalUs.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0))
  }
  const costs = [...totalUs].map(([name, us]) => ({ name, ms: us / 1000 }))
  return costs.filter(({ name }) => name !== '(idle)').toSorted((a, b) => b.ms - a.ms)
}

const maps = new Map<string, SourceMap | undefined>()

function placeOf({ url, lineNumber, columnNumber }: CallFrame): string | undefined {
  if (url.startsWith('node:')) return `node: ${url.split('/').slice(0, 2).join('/').slice('node:'.length)}`
  if (!url.startsWith('file:')) return undefined
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber)
  const source = entry !== undefined && 'originalSource' in entry ? new URL(entry.originalSource, url).href : url
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(source) ?? []
  if (name !== undefined) return name
  return /\/((?:cli|core|sdk|plugins|bin)\/[^/?]+)/u.exec(source)?.[1] ?? source
}

function mapOf(url: string): SourceMap | undefined {
  if (!maps.has(url)) {
    const file = `${fileURLToPath(url)}.map`
    const payload = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : undefined
    maps.set(url, payload && new SourceMap(payload as ConstructorParameters<typeof SourceMap>[0]))
  }
  return maps.get(url)
}
