/** Registers the hook for the sources of a package that run as they are, before any of them is loaded. */
import { registerHooks } from 'node:module'
import { stripInPackages } from './strip-types.ts'

registerHooks({ load: stripInPackages })
