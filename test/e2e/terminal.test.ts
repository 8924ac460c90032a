import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { PeerProcess } from '../peers/process.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startCommand } from '../support/command.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAM = path.join(ROOT, 'bin', 'sluice.js')
const ENV = {
  SLUICE_GLOBAL_HTTP_LISTENADDR: ':0',
  SLUICE_RTMP_TCP_LISTENADDR: ':0',
  SLUICE_RTSP_TCP_LISTENADDR: ':0',
  SLUICE_WEBRTC_PORT: '[udp:0, tcp:0]',
  SLUICE_SRT_LISTENADDR: ':0',
  SLUICE_GB28181_SIP_LISTENADDR: '[udp::0, tcp::0]',
  SLUICE_DEMO_ENABLE: 'false',
  SLUICE_JSMPEG_ENABLE: 'false',
}
const COLOR = '\u001b['

describe('sluice at a terminal', () => {
  before(function () {
    // The program that lends it a terminal has other options elsewhere.
    if (process.platform !== 'linux') this.skip()
  })

  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    file = path.join(folder, 'config.yaml')
    await writeFile(file, '')
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** What it writes to a terminal until it is up. */
  async function written(env: Readonly<Record<string, string>>): Promise<string> {
    const command = [process.execPath, PROGRAM, '-c', file].join(' ')
    const server = new PeerProcess('script', ['-qfec', command, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...ENV, ...env },
    })
    await waitFor(() => server.stdout.includes('➜ network') || server.exited !== undefined, { what: 'the addresses' })
    server.signal('SIGTERM')
    return server.stdout.toString()
  }

  it('writes a line an event, in colour, and last the addresses', async () => {
    const text = await written({})
    const [events = []] = text.split('\r\n\r\n').map((part) => part.split('\r\n'))
    expect(events.length).to.be.greaterThan(3)
    // A busy machine compiles the plugins for so long that the server says so.
    for (const line of events) expect(line).to.match(/INFO|was blocked for/u)
    expect(text).to.include(COLOR)
    expect(text)
      .to.match(/➜ page +\S*http:\/\/localhost:\d+\//u)
      .and.to.match(/➜ publish +\S*rtmp:\/\/localhost/u)
  })

  it('writes no colours where they are not wanted', async () => {
    expect(await written({ NO_COLOR: '1' }))
      .to.include('INFO')
      .and.not.to.include(COLOR)
  })

  it('says in one line that an address is taken, and what to do', async () => {
    const other = createServer().listen(0)
    const { port } = other.address() as AddressInfo
    try {
      const server = startCommand(['-c', file], { env: { SLUICE_GLOBAL_HTTP_LISTENADDR: `:${port}` } })
      expect((await server.exit).code).to.equal(1)
      const fatal = server.stdout
        .toString()
        .split('\n')
        .filter((line) => line.includes('"fatal"'))
      expect(fatal).to.have.length(1)
      expect(fatal[0]).to.include(`can't listen on :${port}`).and.to.include('change global.http.listenaddr')
      expect(server.stdout.toString()).not.to.include('    at ')
    } finally {
      other.close()
    }
  })

  it('asks for a password twice, and shows neither', async () => {
    const command = [process.execPath, PROGRAM, 'user', 'add', 'alice', '-c', file].join(' ')
    const env = { PATH: process.env['PATH'], TERM: 'xterm-256color', SLUICE_GLOBAL_DATADIR: folder }
    const child = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    keep({ close: () => void child.kill('SIGKILL') })
    let shown = ''
    child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()))
    for (const prompt of ['Password of alice: ', 'Again: ']) {
      await waitFor(() => shown.includes(prompt), { what: prompt })
      child.stdin.write('hushx\u007F-hush-hush\r')
    }
    await waitFor(() => shown.includes('added alice (user)'), { what: 'the user' })
    expect(shown).not.to.include('hush')
    expect(shown).not.to.include('*')
  })
})

describe('npm start', () => {
  it('hands a signal on to the server, which ends in order', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    const env = { ...process.env, ...ENV, SLUICE_GLOBAL_DATADIR: folder }
    const npm = new PeerProcess('npm', ['start', '--silent'], { cwd: ROOT, env })
    await waitFor(() => npm.stdout.includes('the server is up') || npm.exited !== undefined, { what: 'the server' })
    npm.signal('SIGTERM')
    await npm.exit
    await waitFor(() => npm.stdout.includes('"stopped"'), { what: 'the server to end' })
    await rm(folder, { recursive: true })
  })
})
