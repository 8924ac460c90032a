import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { VERSION } from '../../core/package-root.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startCommand, ServerCommand } from '../support/command.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { inTurn } from '../support/soak.ts'

/** A G.711 tag, which needs no sequence header. */
const SOUND = { type: 8, timestampMs: 0, body: Buffer.from('7201020304', 'hex') } as const

describe('sluice on the command line', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    file = path.join(folder, 'config.yaml')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('says how it is used, and its version', async () => {
    const said = async (option: string) => String(await startCommand([option]).succeed())
    const [help, h, version, v] = await Promise.all(['--help', '-h', '--version', '-v'].map(said))
    for (const usage of [help, h]) expect(usage).to.match(/^Usage: sluice/u)
    for (const line of [version, v]) expect(line).to.equal(`${VERSION}\n`)
  })

  it('refuses arguments it does not know', () =>
    Promise.all(
      [['--no-such-option'], ['serve'], ['check', 'more'], ['reset'], ['reset', 'rtmp', '--all']].map(async (args) => {
        const command = startCommand(args)
        expect((await command.exit).code, args.join(' ')).to.equal(2)
        expect(command.stderr).to.include('Usage:')
      }),
    ))

  it('refuses what a command does not take', async () => {
    const cases = [
      { args: ['user'], says: 'unknown argument "user"' },
      { args: ['user', 'add'], says: 'user add: NAME is missing' },
      { args: ['user', 'add', 'a', 'b'], says: 'unknown argument "b"' },
      { args: ['user', 'list', '--force'], says: '--force is not for user list' },
      { args: ['token', 'add', 'a', '--role', 'root'], says: '--role is admin or user, and not "root"' },
      { args: ['token', 'remove', 'build'], says: '"build" is no ID; see sluice token list' },
      { args: ['check', '--role', 'user'], says: '--role is not for check' },
      { args: ['--all'], says: '--all is not for run' },
    ]
    await Promise.all(
      cases.map(async ({ args, says }) => {
        const command = startCommand(args)
        expect((await command.exit).code, args.join(' ')).to.equal(2)
        expect(command.stderr).to.include(`${says}\n\nUsage:`)
      }),
    )
  })

  it('manages users and tokens in the database of a config, and says what it can not do', async () => {
    await writeFile(file, 'global: {admin: {enablelogin: true}}\n')
    const env = { SLUICE_GLOBAL_DATADIR: folder }
    const run = async (args: readonly string[], input?: string) => {
      const command = startCommand([...args, '-c', file], { env, ...(input !== undefined && { input }) })
      const { code } = await command.exit
      return { code, said: command.stdout.toString(), stderr: command.stderr }
    }
    const database = path.join(folder, 'sluice.db')
    const added = await run(['user', 'add', 'Alice', '--role', 'admin'], 'correct horse\n')
    expect(added).to.eql({ code: 0, said: `added alice (admin) in ${database}\n`, stderr: '' })
    const failures = [
      { args: ['user', 'add', 'alice'], input: 'correct horse\n', says: 'there is a user alice already\n' },
      { args: ['user', 'add', 'bob'], input: 'short\n', says: 'a password has 8 to 1024 bytes\n' },
      { args: ['user', 'add', 'bob'], input: '', says: 'nothing was entered for "Password of bob"\n' },
      { args: ['user', 'passwd', 'bob'], input: 'correct horse\n', says: 'there is no user bob\n' },
      { args: ['user', 'remove', 'a b'], says: 'the name of a user is 1 to 64 letters, digits and any of . _ - @ +\n' },
      {
        args: ['user', 'remove', 'alice'],
        says: 'alice is the last admin; add another one first, or use --force\n',
      },
      { args: ['token', 'add', 'x', '--expires', 'soon'], says: '"soon" is no time to expire in; write 90d or 12h\n' },
      { args: ['token', 'remove', '7'], says: 'there is no token 7\n' },
    ]
    for (const { args, input, says } of failures) {
      expect(await run(args, input), args.join(' ')).to.eql({ code: 1, said: '', stderr: says })
    }
    const token = await run(['token', 'add', 'build', '--expires', '90d'])
    expect(token.said).to.match(/^sluice_[\w-]{43}\n$/u)
    expect((await run(['token', 'list'])).said).to.match(/^ID +NAME +ROLE .*\n +1 +build +user +\S+ +never +\S+Z\n$/u)
    expect((await run(['user', 'list'])).said).to.match(/^USER +ROLE +SINCE\nalice +admin +\S+Z\n$/u)
    expect((await run(['user', 'remove', 'alice', '--force'])).said).to.equal(`removed alice from ${database}\n`)
    await writeFile(file, 'global: {db: {dsn: "postgres://user:hush@127.0.0.1:1/none"}}\n')
    const away = await run(['user', 'list'])
    expect(away).to.include({ code: 1, said: '' })
    expect(away.stderr)
      .to.match(/^no db: /u)
      .and.not.include('hush')
  })

  const mistakes = [
    { name: 'a key that is not known', text: 'rtmp:\n  chunksise: 4096\n', says: /config\.yaml:2:\d+: .*chunksize/u },
    { name: 'a value of the wrong type', text: 'rtmp:\n  chunksize: big\n', says: /config\.yaml:2:\d+: .*chunksize/u },
    { name: 'a bad duration', text: 'global:\n  draintimeout: soon\n', says: /config\.yaml:2:\d+: .*draintimeout/u },
    { name: 'broken YAML', text: 'global:\n  publish: [\n', says: /config\.yaml:\d+:\d+: /u },
  ]
  // They are found by the same code.
  for (const [verb, found] of [['run', inTurn(mistakes, 0)] as const, ['check', mistakes] as const]) {
    async function refuses(name: string, says: RegExp, text?: string): Promise<void> {
      const own = path.join(await mkdtemp(path.join(folder, 'mistake-')), 'config.yaml')
      if (text !== undefined) await writeFile(own, text)
      const command = startCommand([verb, '-c', own])
      expect((await command.exit).code, name).to.equal(1)
      expect(command.stderr, name).to.match(says).and.to.include(own).and.not.include('    at ')
    }

    it(`${verb} ends with code 1 and the place of a mistake, or the name of a file that is not there`, () =>
      Promise.all([
        ...found.map(({ name, text, says }) => refuses(name, says, text)),
        refuses('no file', /config\.yaml/u),
      ]))
  }

  it('check says that all is well and what differs from the defaults, and all with --all, without secrets', async () => {
    const config = 'global:\n  publish:\n    key: very-secret\n  subscribe:\n    queuetime: 7s\nnosuch:\n  a: 1\n'
    await writeFile(file, config)
    const env = { SLUICE_RTMP_CHUNKSIZE: '8192', SLUICE_RTMP_SUBSCRIBE_KEY: 'secret-too' }
    const checked = async (...args: string[]) => String(await startCommand(['check', ...args], { env }).succeed())
    const [text, whole] = await Promise.all([checked('-c', file), checked('--all', '-c', file)])
    for (const shown of [text, whole]) {
      expect(shown).not.to.include('very-secret').and.not.include('secret-too')
      expect(shown).to.match(/^# ok: .*config\.yaml/u)
      expect(shown).to.match(/chunksize: 8192 +# env/u)
      expect(shown).to.match(/queuetime: \S+ +# file/u)
      expect(shown).to.include("there is no plugin 'nosuch'")
      expect(shown).to.include('global.publish.key keeps nobody out')
    }
    expect(text.split('\n').length).to.be.below(34)
    expect(whole).to.match(/queuetime: \S+ +# global/u)
    expect(whole).to.match(/kickexist: false +# default/u)
  })

  it('check ends with code 1 and all that is wrong: in global, in plugins, in names of sections and in files', async () => {
    const config = [
      'global: {draintimeout: soon}',
      'rtmp: {chunksize: big}',
      'flv: {http: {certfile: /no/cert.pem}}',
      'rmtp: {}',
      'http: {listenaddr: ":1"}',
      'hls: {pull: {live/a: "htp://host/a.m3u8"}}',
    ]
    await writeFile(file, config.join('\n'))
    const command = startCommand(['check', '-c', file])
    expect((await command.exit).code).to.equal(1)
    const lines = command.stderr.trim().split('\n')
    expect(lines).to.have.length(6)
    const says = [
      /global\.draintimeout: expected/u,
      /rtmp\.chunksize: expected/u,
      /flv\.http\.certfile: certfile \/no\/cert\.pem is set, but keyfile is not/u,
      /did you mean 'rtmp'\?/u,
      /did you mean 'global\.http'\?/u,
      /did you mean 'http'\?/u,
    ]
    for (const [index, pattern] of says.entries()) expect(lines[index]).to.match(pattern)
  })

  const slips = {
    socket: `net.connect(9, '127.0.0.1')`,
    file: `void readFile('/nowhere')`,
    program: `spawn('/nowhere')`,
    rejection: `void Promise.reject('stray')`,
    timer: `setTimeout(() => { throw { stray: true } })`,
  }
  it('goes on when errors escape from a plugin, and says from which', async () => {
    const folder = path.join(path.dirname(file), 'plugins')
    await mkdir(folder)
    for (const [name, slip] of Object.entries(slips)) {
      const text = [
        `import net from 'node:net'`,
        `import { spawn } from 'node:child_process'`,
        `import { readFile } from 'node:fs/promises'`,
        `export default { name: '${name}', version: '1', setup() { ${slip} } }`,
      ]
      await writeFile(path.join(folder, `${name}.ts`), text.join('\n'))
    }
    await writeFile(file, `global: { plugins_dir: ${folder} }\n`)
    const server = await ServerCommand.start(['-c', file])
    const escaped = () => server.records.filter(({ msg }) => msg === 'an error escaped; the server goes on')
    await waitFor(() => escaped().length >= Object.keys(slips).length, { what: 'the errors to be told' })
    expect(escaped().map(({ plugin }) => plugin)).to.have.members(Object.keys(slips))
    expect((await fetch(server.http('/healthz'))).status).to.equal(200)
    server.process.signal('SIGTERM')
    expect((await server.process.exit).code).to.equal(0)
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends with code 0 on ${signal}, whoever is connected`, async () => {
      await writeFile(file, '')
      const server = await ServerCommand.start(['-c', file])
      const target = 'live/last'
      const viewers = [
        await RtmpClient.play({ url: server.rtmp(target) }),
        new FlvViewer(server.http(`/flv/${target}.flv`)),
        new FlvViewer(server.ws(`/flv/${target}.flv`)),
      ]
      const waiting = new FlvViewer(server.http('/flv/live/nobody.flv'))
      const silent = await RtmpClient.connect({ url: server.rtmp('live/silent') })
      const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
      publisher.send(SOUND)
      for (const { received } of viewers) await received.wait(1)

      server.process.signal(signal)
      expect((await server.process.exit).code).to.equal(0)
      await Promise.all([publisher.closed, silent.closed, waiting.ended])
      const [player, ...flvViewers] = viewers
      await (player as RtmpClient).closed
      for (const viewer of flvViewers) await (viewer as FlvViewer).ended
      expect((player as RtmpClient).statuses).to.include('NetStream.Play.Stop')
      expect(server.records.at(-1)?.msg).to.equal('stopped')
      expect(server.complaints).to.eql([])
    })
  }
})
