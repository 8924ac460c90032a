/**
 * Makes `dist/`, what the published package runs: the sources as JavaScript with their types, and the files beside them
 * that are no code. In development nothing is built.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDERS = ['sdk', 'core', 'plugins']
/** Folders that only tests, or their own builds, use. */
const LEFT_OUT = new Set(['test', 'fixtures', 'node_modules'])

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
rmSync('dist', { recursive: true, force: true })

const compiler = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: ['ignore', 2, 2],
})
if (compiler.status !== 0) process.exit(1)

for (const folder of FOLDERS) {
  const filter = (path: string) => !LEFT_OUT.has(basename(path)) && extname(path) !== '.ts'
  cpSync(folder, `dist/${folder}`, { recursive: true, filter })
}
