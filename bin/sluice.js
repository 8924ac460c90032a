#!/usr/bin/env node
// The program. Any Node from 18 on reads it; what runs is the one that comes with the package.
import { fileURLToPath } from 'node:url'
import { becomeNode, isRuntime } from './runtime.js'

/** A young generation that is small keeps the memory of a server small, whose data are short-lived buffers. */
const FLAGS = ['--max-semi-space-size=1']

if (isRuntime(FLAGS)) await (await import('./start.js')).start()
else becomeNode([...process.execArgv, ...FLAGS, fileURLToPath(import.meta.url), ...process.argv.slice(2)])
