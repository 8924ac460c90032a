import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { blocksOf } from './support/doc-blocks.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

function run(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Of each file that npm would publish, its path. */
function packedFiles(): readonly string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' })) as [
    { files: { path: string }[] },
  ]
  return packed.files.map((file) => file.path)
}

describe('published package', () => {
  before(function () {
    this.timeout(120_000)
    run('scripts/build.ts')
  })

  it('has the server and every plugin as JavaScript', () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string }
    expect(run('dist/core/main.js', '--version').trim()).to.equal(version)
    expect(packedFiles()).to.include('bin/sluice.js')
    expect(existsSync(`${ROOT}dist/plugins/rtmp/index.js`)).to.equal(true)
  })

  it('gives the sdk to a program without the source condition', () => {
    const program = `
      const names = ['sluice/sdk', 'sluice/sdk/http', 'sluice/sdk/media', 'sluice/sdk/testing']
      console.log(JSON.stringify(names.map((name) => import.meta.resolve(name))))
      for (const name of names) await import(name)`
    const resolved = JSON.parse(run('--input-type=module', '--eval', program)) as readonly string[]
    const files = ['sdk/index.js', 'sdk/http/index.js', 'sdk/media/index.js', 'sdk/testing/index.js']
    expect(resolved).to.eql(files.map((file) => new URL(`../dist/${file}`, import.meta.url).href))
  })

  it("gives the sdk's types to a plugin in another folder, as docs/plugin-authors.md tells", async () => {
    const command = (await blocksOf('docs/plugin-authors.md', 'sh'))('tsc')
    const options = /tsc (.*) hello\.ts/u.exec(command)?.[1]?.split(' ') ?? []
    const plugin = (await blocksOf('README.md', 'ts'))('definePlugin')
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-'))
    try {
      mkdirSync(path.join(folder, 'node_modules'))
      symlinkSync(ROOT, path.join(folder, 'node_modules', 'sluice'))
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(path.join(folder, 'hello.ts'), plugin)
      writeFileSync(path.join(folder, 'wrong.ts'), plugin.replace('config.greeting', 'config.greting'))
      const compile = (file: string) =>
        spawnSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, ...options, file], {
          cwd: folder,
          encoding: 'utf8',
        }).stdout
      expect(compile('hello.ts')).to.equal('')
      expect(compile('wrong.ts')).to.include("Did you mean 'greeting'?")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('has the pages and examples that README.md links to', () => {
    const files = packedFiles()
    const readme = readFileSync(`${ROOT}README.md`, 'utf8')
    const links = [...readme.matchAll(/\]\(((?:config|docs|examples)\b[^)#]*)/gu)].map(([, link = '']) => link)
    const missing = links.filter((link) => !files.some((file) => file === link || file.startsWith(`${link}/`)))
    expect(links).to.include.members(['docs/plugin-authors.md', 'examples'])
    expect(missing).to.eql([])
  })

  it('leaves tests out', () => {
    expect(existsSync(`${ROOT}dist/sdk/testing/fake-host.js`)).to.equal(true)
    expect(existsSync(`${ROOT}dist/sdk/testing/fake-host.test.js`)).to.equal(false)
    expect(existsSync(`${ROOT}dist/plugins/rtmp/wire/fixtures`)).to.equal(false)
    expect(packedFiles().filter((file) => /\.test\./u.test(file))).to.eql([])
  })
})
