/** Writes the list of names that the sdk's entry points export at run time; `test/sdk-exports.test.ts` checks it. */
import { writeFileSync } from 'node:fs'

const ENTRY_POINTS = ['sluice/sdk', 'sluice/sdk/http', 'sluice/sdk/media', 'sluice/sdk/testing', 'sluice/testing']

const lists: Record<string, string[]> = {}
for (const entryPoint of ENTRY_POINTS) {
  const module = (await import(entryPoint)) as Record<string, unknown>
  lists[entryPoint] = Object.keys(module).toSorted()
}
const path = new URL('../test/sdk-exports.json', import.meta.url)
writeFileSync(path, `${JSON.stringify(lists, null, 2)}\n`)
