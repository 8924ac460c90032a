import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'

const MOCHA = ['node_modules/mocha/bin/mocha.js', '--no-config', '--require', './test/mocha/setup.ts']

describe('test summary', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'sluice-'))))
  after(() => rmSync(folder, { recursive: true }))

  function run(
    source: string,
    reporter = 'reporter',
  ): {
    readonly lastLine: string | undefined
    readonly code: number | null
    output: string
  } {
    const path = join(folder, 'case.test.mjs')
    writeFileSync(path, source)
    const args = [...MOCHA, '--reporter', `./test/mocha/${reporter}.ts`, path]
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { lastLine: stdout.trimEnd().split('\n').at(-1), code: status, output: stdout }
  }

  it('ends a good run', () => {
    const { lastLine, code } = run('it("a", () => {}); it("b", () => {})')
    expect({ lastLine, code }).to.eql({ lastLine: '2 passed, 0 failed', code: 0 })
  })

  it('counts and shows failures and skipped tests', () => {
    const { lastLine, code, output } = run(
      'it("a", () => {}); it.skip("b"); it("c", () => { throw new Error("broken") })',
    )
    expect({ lastLine, code }).to.eql({ lastLine: '1 passed, 1 failed, 1 skipped', code: 1 })
    expect(output).to.include('Error: broken').and.to.include('skipped: b')
  })

  it('ends a line for each file, with its times, and the tests that failed above it', () => {
    const { lastLine, code, output } = run(
      'it("a", () => {}); it("c", () => { throw new Error("broken") })',
      'file-reporter',
    )
    expect({ lastLine, code }).to.eql({ lastLine: '1 passed, 1 failed', code: 1 })
    expect(output)
      .to.match(/^ {2}failed: c\n\S+case\.test\.mjs: 1, \d+\.\d s, \d+\.\d s of processors$/mu)
      .and.to.include('Error: broken')
  })

  it('is there when a file does not load', () => {
    const { lastLine, code } = run('import "./nothing.mjs"')
    expect({ lastLine, code }).to.eql({ lastLine: '0 passed, 1 failed', code: 1 })
  })
})
