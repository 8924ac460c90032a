/** Writes `dist/api.d.ts`: the types of all operations of the API, as the server with all of its plugins describes them. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { declarationsOf } from './api-types/paths-declaration.ts'
import { describeShippedApi } from './api-types/shipped-api.ts'

const FILE = fileURLToPath(new URL('../dist/api.d.ts', import.meta.url))

const text = declarationsOf(await describeShippedApi())
// Compilers that wait for changes see only real ones, and nobody reads half of the file.
if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  const draft = `${FILE}.${process.pid}`
  mkdirSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true })
  writeFileSync(draft, text)
  renameSync(draft, FILE)
}
