import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { VERSION } from '../../core/package-root.ts'
import { keep } from '../peers/lifetime.ts'
import { PeerProcess } from '../peers/process.ts'
import { copyCheckout } from '../support/checkout.ts'
import { isSoak } from '../support/soak.ts'
import { NPM_VERSIONS, npmScript, oldNode } from './old-tools.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Packages that other tests have fetched are not asked about again. */
const NPM_ENV = {
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
}

/** Unpacking takes a busy machine minutes. */
const NPM_TIMEOUT_MS = 500_000

type Lock = {
  packages: Record<string, { optionalDependencies?: object; dependencies?: object; devDependencies?: object }>
}

describe('npm ci and npm start', function () {
  this.timeout(600_000)
  let node18: string
  before(async function () {
    if (process.platform !== 'linux') return this.skip()
    node18 = await oldNode()
  })

  /** Runs npm in a folder of a machine whose Node is an old one. */
  async function npm(version: (typeof NPM_VERSIONS)[number], folder: string, args: readonly string[]): Promise<string> {
    // Debian's Node 18 has npm 9; newer versions of npm come with newer ones.
    const node = version === '9.2.0' ? node18 : process.execPath
    const own = path.join(folder, '.path')
    mkdirSync(own, { recursive: true })
    if (!existsSync(path.join(own, 'node'))) symlinkSync(node18, path.join(own, 'node'))
    const env = { ...process.env, ...NPM_ENV, PATH: `${own}:/usr/bin:/bin` }
    const peer = new PeerProcess(node, [await npmScript(version), ...args], { cwd: folder, env })
    return String(await peer.succeed(NPM_TIMEOUT_MS))
  }

  for (const version of NPM_VERSIONS) {
    it(`find the Node that comes along with npm ${version} and Node 18, whatever links that makes`, async () => {
      const folder = copyCheckout({ packages: false })
      keepRuntimePackages(folder)
      useStandIn(folder)
      await npm(version, folder, ['ci', '--ignore-scripts'])
      const started = await npm(version, folder, ['start', '--silent', '--', '--version'])
      expect(started).to.match(/^the right Node: .*bin\/sluice\.js --version\n$/u)
    })
  }

  // A Node takes seconds to unpack. Of the versions that make no link, the first installs a real one below.
  for (const version of isSoak ? NPM_VERSIONS : NPM_VERSIONS.slice(-1)) {
    it(`start the server by a real Node with npm ${version} and Node 18`, async () => {
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

/** Puts a program that says how it was started in the place of Node in the package for this platform. */
function useStandIn(folder: string): void {
  const name = `node-linux-${process.arch}`
  const source = path.join(folder, '.stand-in', 'package')
  mkdirSync(path.join(source, 'bin'), { recursive: true })
  writeFileSync(path.join(source, 'bin', 'node'), '#!/bin/sh\necho "the right Node: $*"\n', { mode: 0o755 })
  const { version, bin } = createRequire(import.meta.url)(`${name}/package.json`) as { version: string; bin: object }
  writeFileSync(path.join(source, 'package.json'), JSON.stringify({ name, version, bin }))
  const tarball = path.join(folder, 'stand-in.tgz')
  execFileSync('tar', ['-czf', tarball, '-C', path.dirname(source), 'package'])
  const lockFile = path.join(folder, 'package-lock.json')
  const lock = JSON.parse(readFileSync(lockFile, 'utf8')) as Lock
  const entry = lock.packages[`node_modules/${name}`]
  if (entry === undefined) throw new Error(`there is no ${name} in the lock`)
  const integrity = `sha512-${hash('sha512', readFileSync(tarball), 'base64')}`
  Object.assign(entry, { resolved: `file:${path.basename(tarball)}`, integrity })
  writeFileSync(lockFile, JSON.stringify(lock))
}
