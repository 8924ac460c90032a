import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { VERSION } from '../../core/package-root.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { oldNodePackage } from './old-tools.ts'

/** It is kept, as making it takes minutes. */
const ROOT_FOLDER = '/var/tmp/sluice-debian-12'
const SUITE = 'bookworm'
const MIRROR = 'http://deb.debian.org/debian'
const CHECKOUT = path.resolve(import.meta.dirname, '..', '..')

describe('a minimal Debian', function () {
  this.timeout(900_000)
  let nodePackage: string
  before(async function () {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return this.skip()
    requirePeer(this, 'debootstrap')
    makeRoot()
    nodePackage = await oldNodePackage()
  })

  /** Runs Node 18 there, where the checkout is mounted for that long. */
  function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const script = `
      mount --rbind "$1" "$3/mnt" && mount --bind "$2" "$3/srv" || exit 99
      root="$3"; shift 3
      exec chroot "$root" /srv/bin/node /mnt/bin/sluice.js "$@"`
    const all = ['-m', 'sh', '-c', script, 'sh', CHECKOUT, nodePackage, ROOT_FOLDER, ...args]
    return spawnSync('unshare', all, { encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } })
  }

  it('is told the package of the library that it lacks', () => {
    const { status, stderr } = run(['--version'])
    expect(status).to.equal(1)
    expect(stderr).to.include('libatomic.so.1').and.include('apt-get install libatomic1')
  })

  it('runs it with that library', () => {
    const folder = path.join(ROOT_FOLDER, 'opt')
    const library = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/libatomic.so.1`
    copyFileSync(library, path.join(folder, path.basename(library)))
    const env = { LD_LIBRARY_PATH: '/opt' }
    expect(run(['--version'], env)).to.include({ stdout: `${VERSION}\n`, status: 0 })
    expect(run(['check', '-c', '/mnt/config/config.yaml'], env).stdout).to.include('ok: ')
    rmSync(path.join(folder, path.basename(library)))
  })
})

function makeRoot(): void {
  if (existsSync(ROOT_FOLDER)) return
  const draft = `${ROOT_FOLDER}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  const { status, stdout, stderr } = spawnSync('debootstrap', ['--variant=minbase', SUITE, draft, MIRROR], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`debootstrap has failed: ${stdout.slice(-2000)} ${stderr}`)
  renameSync(draft, ROOT_FOLDER)
}
