#!/usr/bin/env -S node --max-semi-space-size=1
// The program. It runs on any Node, to say in a sentence when that is too old for the server; so it imports nothing
// before it knows, and is no TypeScript.
import { existsSync } from 'node:fs'

/** Of Node; argon2 came with it. */
const OLDEST = { major: 24, minor: 7 }

const { node } = process.versions
// In a clone the sources run as they are; the published package has what was built of them.
const sources = new URL('../core/main.ts', import.meta.url)
const [major = 0, minor = 0] = node.split('.').map(Number)
if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
  const found = existsSync(sources) ? '"npm ci" in this folder brings the right one along' : 'install a newer one'
  process.stderr.write(`Sluice needs Node ${OLDEST.major}.${OLDEST.minor} or newer, and this is ${node}: ${found}.\n`)
  process.exitCode = 1
} else {
  await import(existsSync(sources) ? sources.href : '../dist/core/main.js')
}
