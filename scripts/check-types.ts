/** Checks the types of the server and its tests, and of the pages of each plugin, which run in browsers. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'

const COMPILER = 'node_modules/typescript/bin/tsc'

for (const project of ['tsconfig.json', ...globSync('plugins/*/{app,pages}/tsconfig.json')]) {
  const { status } = spawnSync(process.execPath, [COMPILER, '--noEmit', '-p', project], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
