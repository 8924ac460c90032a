import { execFileSync } from 'node:child_process'
import { expect } from 'chai'

const LOADS = `
  const { loadFfi } = await import('${new URL('./ffi.ts', import.meta.url).href}')
  const ffi = loadFfi()
  ffi?.dlopen(null, { abs: { return: 'i32', arguments: ['i32'] } }).functions.abs(-1)
  process.emitWarning('of another matter')
`

describe('node:ffi', () => {
  it('is loaded without a word, and other warnings are still heard', () => {
    const args = [
      '--conditions=source',
      '--input-type=module',
      '-e',
      `${LOADS}; process.on('warning', (w) => console.log(w.message))`,
    ]
    const printed = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    expect(printed.trim()).to.equal('of another matter')
  })
})
