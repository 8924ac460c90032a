#!/usr/bin/env node
// The program `sluice`. Any Node from 18 on reads this file; the server runs on the Node of the package.
import { fileURLToPath } from 'node:url'
import { becomeNode, isRuntime } from './runtime.js'

/** A small young generation keeps the memory of the server small, since its data are short-lived buffers. */
const FLAGS = ['--max-semi-space-size=1']

if (isRuntime(FLAGS)) await (await import('./start.js')).start()
else becomeNode([...process.execArgv, ...FLAGS, fileURLToPath(import.meta.url), ...process.argv.slice(2)])
