import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { allBlocksOf, blocksOf } from './support/doc-blocks.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

function run(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** The package as npm would publish it. */
type Packed = {
  readonly tarball: string
  /** The paths of its files. */
  readonly files: readonly string[]
}

/** Packs the package, which takes npm seconds. */
function pack(folder: string): Packed {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder]
  const [listed] = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' })) as [
    { filename: string; files: { path: string }[] },
  ]
  return { tarball: path.join(folder, listed.filename), files: listed.files.map((file) => file.path) }
}

/** Makes a folder a copy of the example project, with the package as npm would install it. */
function installInto(folder: string, tarball: string): void {
  const modules = path.join(folder, 'node_modules')
  const installed = path.join(modules, 'sluice')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  symlinkSync(`${ROOT}node_modules`, path.join(installed, 'node_modules'))
  symlinkSync(`${ROOT}node_modules/@types`, path.join(modules, '@types'))
  cpSync(path.join(installed, 'examples/plugin-project'), folder, { recursive: true })
}

describe('published package', () => {
  let packFolder: string
  let packed: Packed
  before(() => {
    run('scripts/build.ts', '--package')
    packFolder = mkdtempSync(path.join(tmpdir(), 'sluice-packed-'))
    packed = pack(packFolder)
  })
  after(() => rmSync(packFolder, { recursive: true }))

  it('has one build, with the server and every plugin, and the sources that it was made of', () => {
    const { folder } = JSON.parse(readFileSync(`${ROOT}dist/current.json`, 'utf8')) as { folder: string }
    const { files } = packed
    expect(files).to.include.members([
      'bin/sluice.js',
      'bin/node.js',
      'cli/main.ts',
      'core/server.ts',
      'plugins/rtmp/index.ts',
    ])
    const builds = new Set(files.flatMap((file) => /^dist\/([0-9a-f]{12})\//u.exec(file)?.[1] ?? []))
    expect([...builds]).to.eql([folder])
    const plugins = readdirSync(`${ROOT}plugins`).filter((name) => existsSync(`${ROOT}plugins/${name}/index.ts`))
    expect(files).to.include.members(plugins.map((name) => `dist/${folder}/plugins.${name}.index.js`))
    const record = JSON.parse(readFileSync(`${ROOT}dist/${folder}/build.json`, 'utf8')) as { sources: object }
    expect(files).to.include.members(Object.keys(record.sources))
  })

  it('has the administration page and those of plugins built, and the types that pages are written by', () => {
    expect(packed.files).to.include.members([
      'plugins/console/app/built/index.html',
      'plugins/gb28181/pages/built/devices.js',
      'plugins/gb28181/pages/built/devices.js.gz',
      'dist/api.d.ts',
      'dist/types/sdk/console/index.d.ts',
    ])
  })

  it('gives the sdk to a program without the source condition', () => {
    const program = `
      const names = ['sluice/sdk', 'sluice/sdk/host', 'sluice/sdk/http', 'sluice/sdk/media', 'sluice/sdk/testing', 'sluice/testing']
      console.log(JSON.stringify(names.map((name) => import.meta.resolve(name))))
      for (const name of names) await import(name)`
    const resolved = JSON.parse(run('--input-type=module', '--eval', program)) as readonly string[]
    const files = [
      'sdk/index.js',
      'sdk/host/index.js',
      'sdk/http/index.js',
      'sdk/media/index.js',
      'sdk/testing/index.js',
      'core/testing/index.js',
    ]
    expect(resolved).to.eql(files.map((file) => new URL(`../dist/${file}`, import.meta.url).href))
  })

  describe('beside the project to copy', () => {
    /** Plugins that the runtime would refuse, or that have a mistake, and how the compiler calls it. */
    const refused = [
      { what: 'a mistake', text: '', code: "Did you mean 'greeting'?" },
      { what: 'enums', text: 'export enum Kind { A }', code: 'TS1294' },
      { what: 'parameter properties', text: 'export class A { constructor(readonly b: string) {} }', code: 'TS1294' },
      { what: 'imports without the ending', text: "import './name-rules/index'", code: 'TS2835' },
      {
        what: 'types that are imported as values',
        text: "import { Endpoints } from 'sluice/sdk'\nexport type A = Endpoints",
        code: 'TS1484',
      },
      {
        what: 'operations that the API does not have',
        text: "import type { Paths } from 'sluice/api'\nexport type A = Paths['GET /api/sysinfo' | 'GET /api/none']",
        code: "Property 'GET /api/none' does not exist",
      },
    ]
    let folder: string
    /** What the compiler says of all files of the project. */
    let complaints: readonly string[]
    before(async function () {
      this.timeout(300_000)
      folder = mkdtempSync(path.join(tmpdir(), 'sluice-'))
      installInto(folder, packed.tarball)
      const hello = (await blocksOf('docs/plugin-authors.md', 'ts'))('// plugins/hello.ts')
      writeFileSync(path.join(folder, 'plugins', 'hello.ts'), hello)
      writeFileSync(
        path.join(folder, 'test', 'hello.ts'),
        (await blocksOf('docs/plugin-authors.md', 'ts'))('// test/hello.ts'),
      )
      for (const page of readdirSync(`${ROOT}docs/plugins`)) {
        const plugins = (await allBlocksOf(`docs/plugins/${page}`, 'ts')).filter((block) =>
          block.includes('export default'),
        )
        for (const [index, plugin] of plugins.entries()) {
          writeFileSync(path.join(folder, 'plugins', `${path.parse(page).name}-${index}.ts`), plugin)
        }
      }
      for (const [index, { text }] of refused.entries()) {
        const wrong = text === '' ? hello.replace('config.greeting', 'config.greting') : text
        writeFileSync(path.join(folder, 'plugins', `refused-${index}.ts`), wrong)
      }
      const options = { cwd: folder, encoding: 'utf8' } as const
      const { stdout } = spawnSync(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`], options)
      complaints = stdout.split('\n').filter((line) => line !== '')
    })
    after(() => rmSync(folder, { recursive: true }))

    it("finds nothing wrong with it, and with the plugins of the docs, of which one is README's", async () => {
      const hello = readFileSync(path.join(folder, 'plugins', 'hello.ts'), 'utf8')
      expect(hello).to.equal(`// plugins/hello.ts\n${(await blocksOf('README.md', 'ts'))('definePlugin')}`)

      expect(complaints.filter((line) => !line.startsWith('plugins/refused-'))).to.eql([])
    })

    for (const [index, { what, code }] of refused.entries()) {
      it(`finds ${what}`, () => {
        const found = complaints.filter((line) => line.startsWith(`plugins/refused-${index}.ts`))
        expect(found.join('\n')).to.include(code)
      })
    }

    it('has tests that pass', () => {
      const { status, stdout } = spawnSync(process.execPath, ['--test', 'test/*.ts'], { cwd: folder, encoding: 'utf8' })
      expect(status, stdout).to.equal(0)
      expect(stdout).to.match(/pass 3\n/u)
    })
  })

  it('has the pages and examples that README.md links to', () => {
    const { files } = packed
    const readme = readFileSync(`${ROOT}README.md`, 'utf8')
    const links = [...readme.matchAll(/\]\(((?:config|docs|examples)\b[^)#]*)/gu)].map(([, link = '']) => link)
    const missing = links.filter((link) => !files.some((file) => file === link || file.startsWith(`${link}/`)))
    expect(links).to.include.members(['docs/plugin-authors.md', 'examples'])
    expect(missing).to.eql([])
  })

  it('leaves tests out', () => {
    const { files } = packed
    expect(files).to.include('sdk/testing/fake-host.ts')
    expect(files.filter((file) => /\.test\.|\/fixtures\/|^(?:test|scripts)\//u.test(file))).to.eql([])
  })
})
