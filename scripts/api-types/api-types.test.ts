import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILE = path.join(ROOT, 'dist/api.d.ts')

/** Makes the file where no program is to be had. */
function makeTypes() {
  const args = ['--conditions=source', 'scripts/api-types.ts']
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env: { ...process.env, PATH: '' } })
}

describe('the types of the API', function () {
  this.timeout(120_000)
  let folder: string
  let made: ReturnType<typeof makeTypes>
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-'))
    made = makeTypes()
  })
  after(() => rmSync(folder, { recursive: true }))

  /** The complaints of the compiler about the file and a page that uses it. */
  function complaintsAbout(page: string): string[] {
    const file = path.join(folder, 'page.ts')
    writeFileSync(file, `import type { Paths } from ${JSON.stringify(FILE)}\n${page}\n`)
    const options = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--target',
      'esnext',
      '--lib',
      'esnext,dom',
      '--types',
      '',
    ]
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [compiler, ...options, file], { cwd: folder, encoding: 'utf8' })
    return stdout.split('\n').filter((line) => line !== '')
  }

  it('are made without ffmpeg, quietly', () => {
    expect(made).to.include({ status: 0, stdout: '', stderr: '' })
  })

  it('are valid for a page in a browser, operations of all plugins included', () => {
    const keys = ['GET /api/sysinfo', 'POST /rtmp/api/push/{streamPath}', 'GET /mp4/api/tag/list', 'GET /plan/api/list']
    const page = keys.map((key, index) => `export type Used${index} = Paths['${key}']['answer']['code']`).join('\n')
    expect(complaintsAbout(page)).to.eql([])
  })

  it('have a wrong use found', () => {
    const [complaint = '', ...others] = complaintsAbout(`export type Used = Paths['GET /api/none']`)
    expect(complaint).to.include(`'GET /api/none' does not exist`)
    expect(others).to.eql([])
  })

  it('are written when they have changed only', () => {
    const { mtimeMs } = statSync(FILE)
    expect(makeTypes().status).to.equal(0)
    expect(statSync(FILE).mtimeMs).to.equal(mtimeMs)
  })
})
