// A module hook for sources that lie below node_modules, where Node itself takes no types out.
import { registerHooks } from 'node:module'
import { stripInPackages } from '../core/build/strip-types.ts'

registerHooks({ load: stripInPackages })
