/** Makes the build when npm has installed the packages for it; without the packages of development, the sources run as they are. */
import { existsSync } from 'node:fs'

if (existsSync(new URL('../node_modules/esbuild', import.meta.url))) await import('./build.ts')
