import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

function run(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

describe('published package', () => {
  before(function () {
    this.timeout(120_000)
    run('scripts/build.ts')
  })

  it('has the server and every plugin as JavaScript', () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string }
    expect(run('dist/core/main.js', '--version').trim()).to.equal(version)
    expect(existsSync(`${ROOT}dist/plugins/rtmp/index.js`)).to.equal(true)
  })

  it('gives the sdk to a program without the source condition', () => {
    const program = `
      const names = ['sluice/sdk', 'sluice/sdk/media', 'sluice/sdk/testing']
      console.log(JSON.stringify(names.map((name) => import.meta.resolve(name))))
      for (const name of names) await import(name)`
    const resolved = JSON.parse(run('--input-type=module', '--eval', program)) as readonly string[]
    const files = ['sdk/index.js', 'sdk/media/index.js', 'sdk/testing/index.js']
    expect(resolved).to.eql(files.map((file) => new URL(`../dist/${file}`, import.meta.url).href))
  })

  it('leaves tests out', () => {
    expect(existsSync(`${ROOT}dist/sdk/testing/fake-host.js`)).to.equal(true)
    expect(existsSync(`${ROOT}dist/sdk/testing/fake-host.test.js`)).to.equal(false)
    expect(existsSync(`${ROOT}dist/plugins/rtmp/wire/fixtures`)).to.equal(false)
  })
})
