import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { VERSION } from '../../core/package-root.ts'
import { keep } from '../peers/lifetime.ts'
import { PeerProcess } from '../peers/process.ts'
import { copyCheckout } from '../support/checkout.ts'
import { NPM_VERSIONS, oldTools, type OldTools } from './old-tools.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

type Lock = {
  packages: Record<string, { optionalDependencies?: object; dependencies?: object; devDependencies?: object }>
}

describe('npm ci and npm start', function () {
  this.timeout(600_000)
  let tools: OldTools
  before(async function () {
    if (process.platform !== 'linux') return this.skip()
    tools = await oldTools()
  })

  /** Runs npm in a folder of a machine whose Node is an old one. */
  async function npm(version: (typeof NPM_VERSIONS)[number], folder: string, args: readonly string[]): Promise<string> {
    // Debian's Node 18 has npm 9; newer versions of npm come with newer ones.
    const node = version === '9.2.0' ? tools.node : process.execPath
    const own = path.join(folder, '.path')
    mkdirSync(own, { recursive: true })
    if (!existsSync(path.join(own, 'node'))) symlinkSync(tools.node, path.join(own, 'node'))
    const env = { ...process.env, PATH: `${own}:/usr/bin:/bin`, npm_config_update_notifier: 'false' }
    const peer = new PeerProcess(node, [tools.npm(version), ...args], { cwd: folder, env })
    return String(await peer.succeed())
  }

  for (const version of NPM_VERSIONS) {
    it(`find the right Node with npm ${version} and Node 18, whatever links that makes`, async () => {
      const folder = copyCheckout({ packages: false, build: true })
      keepRuntimePackages(folder)
      await npm(version, folder, ['ci', '--ignore-scripts'])
      expect(await npm(version, folder, ['start', '--silent', '--', '--version'])).to.equal(`${VERSION}\n`)
    })
  }

  it('install the package in an empty folder, where npx starts it, as on Debian 12', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-npx-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder], { cwd: ROOT })
    const [tarball = ''] = readdirSync(folder)
    await npm('9.2.0', folder, ['install', '--no-save', path.join(folder, tarball)])
    expect(await npm('9.2.0', folder, ['exec', '--', 'sluice', '--version'])).to.equal(`${VERSION}\n`)
    expect(await npm('9.2.0', folder, ['exec', '--', 'sluice', 'check'])).to.include('ok: ')
  })

  it('make the build and start with all packages, as on Debian 12', async () => {
    const folder = copyCheckout({ packages: false })
    await npm('9.2.0', folder, ['ci'])
    expect(readFileSync(path.join(folder, 'dist', 'current.json'), 'utf8')).to.include('folder')
    expect(await npm('9.2.0', folder, ['start', '--silent', '--', 'check'])).to.include('ok: ')
  })
})

/** Leaves of the packages those that bring Node, which is what versions of npm differ in. */
function keepRuntimePackages(folder: string): void {
  const file = (name: string) => path.join(folder, name)
  const manifest = JSON.parse(readFileSync(file('package.json'), 'utf8')) as Lock['packages'][string]
  writeFileSync(file('package.json'), JSON.stringify({ ...manifest, dependencies: {}, devDependencies: {} }))
  const lock = JSON.parse(readFileSync(file('package-lock.json'), 'utf8')) as Lock
  const { '': root, ...packages } = lock.packages
  const runtimes = Object.entries(packages).filter(([place]) =>
    Object.keys(manifest.optionalDependencies ?? {}).includes(place.replace('node_modules/', '')),
  )
  const kept = { '': { ...root, dependencies: {}, devDependencies: {} }, ...Object.fromEntries(runtimes) }
  writeFileSync(file('package-lock.json'), JSON.stringify({ ...lock, packages: kept }))
}
