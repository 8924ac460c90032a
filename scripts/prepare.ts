/**
 * Makes the build and the types of the API when npm has installed the packages for it; without the packages of development, the
 * sources run as they are.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

if (existsSync(new URL('../node_modules/esbuild', import.meta.url))) {
  await import('./build.ts')
  // They are for editors, so an installation does not fail without them; `npm run types` does.
  const script = fileURLToPath(new URL('api-types.ts', import.meta.url))
  spawnSync(process.execPath, ['--conditions=source', script], { stdio: ['ignore', 2, 2] })
}
