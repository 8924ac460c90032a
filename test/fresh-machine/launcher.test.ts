import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { VERSION } from '../../core/package-root.ts'
import { PeerProcess } from '../peers/process.ts'
import { waitFor } from '../peers/wait-for.ts'
import { copyCheckout } from '../support/checkout.ts'
import { COMMAND_ENV, PROGRAM } from '../support/command.ts'
import { oldNode } from './old-tools.ts'

const SCRIPTS = path.dirname(PROGRAM)

describe('the launcher, by Node 18', function () {
  this.timeout(300_000)
  let node: string
  let folder: string
  before(async function () {
    if (process.platform !== 'linux') return this.skip()
    node = await oldNode()
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-launcher-'))
  })
  after(() => folder === undefined || rm(folder, { recursive: true }))

  const launch = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    new PeerProcess(node, args, { env: { PATH: '/usr/bin:/bin', ...COMMAND_ENV, ...env }, cwd: folder })

  it('becomes the Node that comes along, and so do programs that it starts', async () => {
    expect(String(await launch([PROGRAM, '--version']).succeed())).to.equal(`${VERSION}\n`)
    const script = `console.log(process.version, require('child_process').execSync('node -v', { encoding: 'utf8' }).trim())`
    const said = String(await launch([path.join(SCRIPTS, 'node.js'), '-e', script]).succeed())
    expect(said).to.equal(`${process.version} ${process.version}\n`)
  })

  it('ends as what it runs does', async () => {
    expect((await launch([path.join(SCRIPTS, 'node.js'), '-e', 'process.exit(7)']).exit).code).to.equal(7)
    const killed = launch([path.join(SCRIPTS, 'node.js'), '-e', `process.kill(process.pid, 'SIGKILL')`])
    expect((await killed.exit).signal).to.equal('SIGKILL')
  })

  it('hands a signal on to the server, which ends in order', async () => {
    const server = launch([PROGRAM], { SLUICE_GLOBAL_DATADIR: path.join(folder, 'data') })
    await waitFor(() => server.stdout.includes('the server is up') || server.exited !== undefined, {
      what: 'the server',
    })
    server.signal('SIGTERM')
    expect(await server.exit).to.eql({ code: 0, signal: null })
    expect(server.stdout.toString()).to.include('"stopped"')
  })

  it('names the package that is missing', async () => {
    const checkout = copyCheckout({ packages: false })
    const modules = path.join(checkout, 'node_modules')
    mkdirSync(modules)
    const own = path.join(SCRIPTS, '..', 'node_modules')
    for (const name of readdirSync(own)) {
      if (!/^node-(?:linux|bin|darwin|win)|^\./u.test(name)) symlinkSync(path.join(own, name), path.join(modules, name))
    }
    const program = launch([path.join(checkout, 'bin', 'sluice.js')])
    expect((await program.exit).code).to.equal(1)
    expect(program.stderr)
      .to.match(/^Sluice needs Node 24\.7 or newer, and this is 18\.\d+\.\d+\./u)
      .and.include(`node-linux-${process.arch}`)
      .and.include('npm ci')
  })
})
