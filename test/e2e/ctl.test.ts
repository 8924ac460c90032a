import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { freePort } from '../peers/free-port.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand } from '../support/command.ts'
import { CommandError } from '../../cli/command-error.ts'
import { CtlRunner } from '../support/ctl-runner.ts'
import { CtlUser, type CtlRun } from '../support/ctl.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { rejectionOf } from '../support/rejection.ts'

const STREAM = 'live/摄像头'
/** What a terminal would obey, and what would turn a line round. */
const NASTY_TITLE = '\u009b31mred \u202egpj.exe'

type Json = Readonly<Record<string, unknown>>

/** The standard output of a run that succeeded, as JSON. */
async function answer<Shape>(run: Promise<CtlRun>): Promise<Shape> {
  const { code, json, stderr } = await run
  expect(stderr).to.equal('')
  expect(code).to.equal(0)
  return json as Shape
}

/** The words of standard error, after a run that failed. */
async function complaint(run: Promise<CtlRun>, code: number): Promise<string> {
  const { stdout, stderr, ...ended } = await run
  expect(ended.code, stderr).to.equal(code)
  expect(stdout).to.equal('')
  expect(stderr).to.match(/^sluice ctl: [^\n]+\n$/u)
  return stderr
}

/** The message of a command that is refused within the test's process; {@link complaint} gives that of the program. */
async function refusal(run: () => Promise<unknown>, code: number): Promise<string> {
  const error = await rejectionOf((async () => run())())
  expect(error).to.be.instanceOf(CommandError).with.property('exitCode', code)
  expect(error.message).to.match(/^[^\n]+$/u)
  return error.message
}

/** Each command is a process of its own once, as users run it; its other cases are looked at within the test's. */
describe('sluice ctl', () => {
  let server: ServerCommand
  let user: CtlUser
  let ctl: CtlRunner
  before(async () => {
    server = await ServerCommand.start([])
    user = new CtlUser(server.http(''))
    ctl = new CtlRunner(server.http(''))
    publish({
      url: server.rtmp(STREAM),
      durationSeconds: 3600,
      output: ['-metadata', `title=${NASTY_TITLE}`],
    })
    await waitFor(async () => (await streams()).some(({ audioTrack, videoTrack }) => audioTrack && videoTrack), {
      what: 'the stream',
      intervalMs: 200,
    })
  })

  const run = (...args: string[]) => user.run(args)
  const streams = async () => (await ctl.json('streams')) as Json[]
  const paths = async () => (await streams()).map(({ path }) => path)

  describe('in a script', () => {
    it('streams and stream give what the server has, as JSON', async () => {
      const [listed] = await answer<Json[]>(run('streams'))
      expect(listed).to.deep.include({ path: STREAM, pluginName: 'rtmp', subscribers: 0 })
      const one = await answer<Json>(run('stream', STREAM))
      expect(one).to.have.property('path', STREAM)
      expect(one['videoTrack']).to.include({ codec: 'h264', width: 320, height: 240 })
      expect(one['meta']).to.include(NASTY_TITLE)
    })

    it('subscribers lists viewers, and kick ends one', async () => {
      const viewer = new FlvViewer(server.http(`/flv/${encodeURI(STREAM)}.flv`))
      await viewer.received.wait(1)
      const [subscriber] = await answer<Json[]>(run('subscribers', STREAM))
      expect(subscriber).to.include({ streamPath: STREAM, pluginName: 'flv' })
      expect(await ctl.json('subscribers')).to.have.length(1)
      await answer(run('kick', String(subscriber?.['id'])))
      await viewer.ended
      expect(await refusal(() => ctl.json('kick', String(subscriber?.['id'])), 1)).to.include('there is no subscriber')
    })

    it('pull publishes what another server has, and stop ends it', async () => {
      await answer(run('pull', server.rtmp(STREAM), 'live/pulled'))
      await waitFor(async () => (await paths()).includes('live/pulled'), { what: 'the pull', intervalMs: 200 })
      await answer(run('stop', 'live/pulled'))
      await waitFor(async () => !(await paths()).includes('live/pulled'), { what: 'its end', intervalMs: 200 })
      expect(await refusal(() => ctl.json('stop', 'live/pulled'), 1)).to.include('there is no stream live/pulled')
    })

    it('push sends a stream to another server', async () => {
      await answer(run('push', STREAM, server.rtmp('live/pushed')))
      await waitFor(async () => (await paths()).includes('live/pushed'), { what: 'the push', intervalMs: 200 })
    })

    it('proxies lists those of both directions', async () => {
      const add = (kind: string, body: Json) =>
        fetch(server.http(`/api/proxy/${kind}/add`), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      await add('pull', { name: 'door', streamPath: 'cam/door', pullURL: 'rtsp://127.0.0.1:9/a', status: 3 })
      await add('push', { name: 'out', streamPath: 'live/none', pushURL: 'rtmp://127.0.0.1:9/b/c', status: 3 })
      const { pull, push } = await answer<{ pull: Json[]; push: Json[] }>(run('proxies'))
      expect(pull[0]).to.include({ name: 'door', streamPath: 'cam/door' })
      expect(push[0]).to.include({ name: 'out', streamPath: 'live/none' })
    })

    it('alias sets, lists and removes second names', async () => {
      await answer(run('alias', 'set', 'live/door', STREAM, '--auto-remove'))
      expect(await answer(run('alias', 'list'))).to.eql([
        { alias: 'live/door', streamPath: STREAM, autoRemove: true, status: 1 },
      ])
      await answer(run('alias', 'remove', 'live/door'))
      expect(await ctl.json('alias', 'list')).to.eql([])
      expect(await refusal(() => ctl.json('alias', 'remove', 'live/door'), 1)).to.include('there is no alias live/door')
    })

    it('plugins gives those that run, and why others do not', async () => {
      const { running, disabled } = await answer<{ running: Json[]; disabled: Json[] }>(run('plugins'))
      expect(running.map(({ name }) => name)).to.include.members(['rtmp', 'hls', 'flv'])
      const demo = disabled.find(({ name }) => name === 'demo')
      expect(demo?.['description']).to.have.property('disableReason').that.is.not.empty
    })

    it('info gives the server, and how busy it is', async () => {
      const { info, summary } = await answer<{ info: Json; summary: Json }>(run('info'))
      expect(info).to.have.property('os', process.platform)
      expect(summary).to.have.property('streamCount').that.is.greaterThan(0)
    })

    it('top writes a line of JSON an event, and is quiet when nobody reads on', async () => {
      const program = user.inShell(['top'], '| head -n 2')
      const lines = (await program.succeed()).toString().trim().split('\n')
      expect(program.stderr).to.equal('')
      expect(lines).to.have.length(2)
      for (const line of lines) expect(JSON.parse(line)).to.have.property('streamCount')
    })

    it('tasks gives the tree, and task stop ends one', async () => {
      await ctl.json('pull', server.rtmp(STREAM), 'live/task')
      await waitFor(async () => findTask((await ctl.json('tasks')) as Json, 'live/task'), {
        what: 'the task',
        intervalMs: 200,
      })
      const task = findTask(await answer<Json>(run('tasks')), 'live/task')
      await answer(run('task', 'stop', String(task?.['pointer'])))
      await waitFor(async () => !(await paths()).includes('live/task'), { what: 'its end', intervalMs: 200 })
      expect(await refusal(() => ctl.json('task', 'stop', '4294967295'), 1)).to.include('there is no task 4294967295')
    })

    it('alarms gives those that were stored', async () => {
      expect(await answer(run('alarms'))).to.be.an('array')
    })

    it('arm and disarm set whether webhooks are told of alarms', async () => {
      await answer(run('disarm'))
      expect(await ctl.json('config', 'get', 'global', 'armed')).to.equal(false)
      await answer(run('arm'))
      expect(await ctl.json('config', 'get', 'global', 'armed')).to.equal(true)
    })

    it('config gets, sets and resets keys', async () => {
      const sections = await answer<Json[]>(run('config', 'get'))
      expect(sections.map(({ name }) => name)).to.include.members(['global', 'rtmp'])
      const before = await ctl.json('config', 'get', 'rtmp', 'chunksize')
      expect(before).to.be.a('number')
      const outcome = await answer<Json>(run('config', 'set', 'rtmp.chunksize', '8192'))
      expect(outcome['changed']).to.eql(['chunksize'])
      expect(await ctl.json('config', 'get', 'rtmp.ChunkSize')).to.equal(8192)
      const { sources } = (await ctl.json('config', 'get', 'rtmp')) as { sources: Json }
      expect(sources['chunksize']).to.equal('modify')
      await answer(run('config', 'reset', 'rtmp.chunksize'))
      expect(await ctl.json('config', 'get', 'rtmp', 'chunksize')).to.equal(before)
    })

    it('config takes a secret from standard input, and never gives it', async () => {
      await answer(user.run(['config', 'set', 'rtmp.publish.key'], { input: 'very-secret\n' }))
      const stdout = String(await ctl.bytes('config', 'get', 'rtmp', 'publish'))
      expect(stdout).to.include('publish.key').and.not.include('very-secret')
      await ctl.json('config', 'reset', 'rtmp')
    })

    it('config says what is wrong with a value, and which names there are', async () => {
      expect(await complaint(run('config', 'set', 'rtmp.chunksize', 'big'), 1)).to.include('chunksize')
      expect(await refusal(() => ctl.json('config', 'get', 'nosuch'), 1)).to.include('there is no section nosuch')
      expect(await refusal(() => ctl.json('config', 'get', 'rtmp', 'nosuch'), 1)).to.include('there is no key nosuch')
    })
  })

  describe('that fails', () => {
    it('says that the server is not there, and how to give another one', async () => {
      const address = `http://127.0.0.1:${await freePort()}`
      const said = await complaint(user.run(['--server', address, 'streams']), 3)
      expect(said).to.include(address).and.include('ECONNREFUSED').and.include('--server')
    })

    it('says that the server knows no such operation', async () => {
      const elsewhere = new CtlRunner(server.http('/no/such'))
      expect(await refusal(() => elsewhere.json('streams'), 1)).to.include('does not know')
    })

    it('says which stream is not there', async () => {
      expect(await complaint(run('stream', 'live/nosuch'), 1)).to.include('there is no stream live/nosuch')
    })

    it('is quiet when nobody reads what it writes', async () => {
      const program = user.inShell(['--help'], '| true')
      await program.succeed()
      expect(program.stderr).to.equal('')
    })

    it('ends with code 2 for a slip, of which it says nothing that is secret', async () => {
      expect(await complaint(run('strems'), 2)).to.include('unknown command "strems"')
      const told = await complaint(run('--server', 'http://user:secret@host', 'streams'), 2)
      expect(told).to.include('SLUICE_SERVER').and.not.include('secret')
    })

    const slips = [
      { args: ['stream'], says: 'PATH is missing' },
      { args: ['streams', '--yes'], says: '--yes is not for streams' },
      { args: ['kick', 'live/a'], says: 'is no id' },
    ]
    for (const { args, says } of slips) {
      it(`has code 2 for "${args.join(' ')}"`, async () => {
        expect(await refusal(() => ctl.json(...args), 2)).to.include(says)
      })
    }

    it('has code 2 for an address without http://', async () => {
      expect(await refusal(async () => new CtlRunner('localhost:8080'), 2)).to.include('http://')
    })
  })

  describe('at a terminal', () => {
    before(function () {
      // The program that lends it a terminal has other options elsewhere.
      if (process.platform !== 'linux') this.skip()
    })

    /** What it writes until it ends well, line by line. */
    async function screen(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string[]> {
      const terminal = user.atTerminal(args, env)
      return (await terminal.succeed()).toString().split('\r\n')
    }

    const lines = async (...args: string[]) => (await ctl.lines(...args)).map(stripVTControlCharacters)

    it('writes tables that fit, and columns of wide characters below each other', async () => {
      const [titles = '', ...rows] = (await screen(['streams'])).map(stripVTControlCharacters)
      const row = rows.find((line) => line.startsWith(STREAM)) ?? ''
      expect(titles).to.match(/^STREAM +FROM +VIDEO +AUDIO +IN +VIEWERS +UP$/u)
      // A publisher on a busy machine stands still, and hurries then.
      expect(row).to.match(
        /^live\/摄像头 +rtmp +h264 320x240(?: \d+ fps)? +aac 44\.1 kHz +[\d.]+ [kM]?bit\/s +\d+ +\S+$/u,
      )
      // Three characters of the path take two cells each.
      expect(row.indexOf('rtmp') + 3).to.equal(titles.indexOf('FROM'))
    })

    it('writes nothing that the terminal obeys, and no colours where they are not wanted', async () => {
      const coloured = await screen(['stream', STREAM])
      expect(coloured.join('\n')).to.include('\u001b[1m')
      const text = (await screen(['stream', STREAM], { NO_COLOR: '1' })).join('\n')
      expect(text).to.include(String.raw`\u009b31mred \u202egpj.exe`)
      expect(text).not.to.match(/[^\n\P{Cc}]|\u202e/u)
    })

    it('writes JSON when that is asked for', async () => {
      const text = (await screen(['streams', '--json'])).join('\n')
      expect(JSON.parse(text)).to.be.an('array')
      expect(text).not.to.match(/[^\n\P{Cc}]/u)
    })

    it('says what was done', async () => {
      expect(await lines('alias', 'set', 'live/second', STREAM)).to.include(`live/second is ${STREAM} now`)
    })

    it('config shows each value and where it comes from', async () => {
      const shown = await lines('config', 'get', 'rtmp')
      expect(shown[0]).to.match(/^KEY +VALUE +FROM$/u)
      expect(shown.find((line) => line.startsWith('tcp.listenaddr '))).to.match(/ :0 +env$/u)
    })

    it('info shows the server', async () => {
      const text = (await lines('info')).join('\n')
      expect(text)
        .to.match(/^Server +http:/mu)
        .and.match(/^Streams +\d+$/mu)
        .and.match(/^CPU +[\d.]+ %$/mu)
    })

    it('tasks shows the tree', async () => {
      const shown = await lines('tasks')
      expect(shown[0]).to.match(/^TASK +ID +STATE +UP +ABOUT$/u)
      expect(shown.some((line) => line.startsWith('  '))).to.equal(true)
    })

    it('top refreshes one line, and leaves in order at Ctrl-C', async () => {
      const terminal = user.atTerminal(['top'])
      await waitFor(() => terminal.stdout.toString().split('\r').length > 3, { what: 'lines' })
      terminal.type('\u0003')
      expect((await terminal.exit).code).to.equal(0)
      expect(terminal.stdout.toString()).to.match(/\rcpu [\d.]+ % [^\r\n]*streams \d+/u)
    })

    it('shutdown asks first, and does nothing without a yes', async () => {
      const terminal = user.atTerminal(['shutdown'])
      await waitFor(() => terminal.stdout.includes('[y/N]'), { what: 'the question' })
      terminal.type('n\n')
      expect((await terminal.exit).code).to.equal(1)
      expect(terminal.stdout.toString()).to.include('nothing was done')
      expect(server.process.exited).to.equal(undefined)
    })
  })
})

describe('sluice ctl, of a server with logins', () => {
  const PASSWORD = 'correct horse'
  const CONFIG = `global: { admin: { enablelogin: true, users: [{ username: boss, password: ${PASSWORD}, role: admin }] } }`
  let folder: string
  let server: ServerCommand
  let boss: CtlUser
  before(async function () {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    await writeFile(path.join(folder, 'config.yaml'), CONFIG)
    server = await ServerCommand.start(['-c', path.join(folder, 'config.yaml')])
    boss = new CtlUser(server.http(''))
    await answer(boss.run(['login', 'boss'], { input: `${PASSWORD}\n` }))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const tokenFileOf = (user: CtlUser) => path.join(user.configFolder, 'sluice', 'tokens.json')

  /** The token of the login that the program keeps. */
  async function tokenOf(user: CtlUser): Promise<string> {
    const tokens = JSON.parse(await readFile(tokenFileOf(user), 'utf8')) as Readonly<Record<string, string>>
    return tokens[server.http('')] ?? ''
  }

  /** A runner within the test's process, with the token of a login by the program. */
  const loggedIn = async (user: CtlUser) => new CtlRunner(server.http(''), await tokenOf(user))

  it('login keeps the token where nobody else can read it, and logout ends it', async () => {
    const user = new CtlUser(server.http(''))
    const stranger = new CtlRunner(server.http(''))
    expect(await refusal(() => stranger.json('streams'), 1)).to.match(/Log in by "sluice ctl --server http.+ login"/u)
    await answer(user.run(['login'], { input: `boss\n${PASSWORD}\n` }))
    expect(await answer(user.run(['streams']))).to.eql([])
    const file = tokenFileOf(user)
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    const token = await tokenOf(user)
    await answer(user.run(['logout']))
    expect(await readFile(file, 'utf8')).to.equal('{}\n')
    const env = { SLUICE_TOKEN: token }
    expect(await complaint(user.run(['streams'], { env }), 1)).to.include('invalid token')
    expect(await complaint(user.run(['logout']), 1)).to.include('not logged in')
  })

  it('login asks at a terminal, which does not show the password', async () => {
    const user = new CtlUser(server.http(''))
    const terminal = user.atTerminal(['login'])
    await waitFor(() => terminal.stdout.includes('User: '), { what: 'the question for the user' })
    terminal.type('boss\r')
    await waitFor(() => terminal.stdout.includes('Password: '), { what: 'the question for the password' })
    terminal.type(`${PASSWORD}\r`)
    const text = (await terminal.succeed()).toString()
    expect(text)
      .to.include(`Logged in to ${server.http('')} as boss`)
      .and.not.include(PASSWORD)
  })

  it('login says that name and password are wrong', async () => {
    const user = new CtlUser(server.http(''))
    expect(await complaint(user.run(['login', 'boss'], { input: 'wrong\n' }), 1)).to.include('invalid credentials')
    expect(await complaint(user.run(['login', 'boss']), 1)).to.include('nothing was entered for "Password"')
  })

  it('users add makes one who looks but changes nothing, and remove ends that', async () => {
    const added = await answer<Json>(boss.run(['users', 'add', 'guest'], { input: 'battery staple\n' }))
    expect(added).to.include({ username: 'guest', role: 'user' })
    const users = await answer<Json[]>(boss.run(['users', 'list']))
    expect(users.map(({ username, role }) => [username, role])).to.have.deep.members([
      ['boss', 'admin'],
      ['guest', 'user'],
    ])
    const guest = new CtlUser(server.http(''))
    await answer(guest.run(['login', 'guest'], { input: 'battery staple\n' }))
    const byGuest = await loggedIn(guest)
    expect(await byGuest.json('streams')).to.eql([])
    expect(await refusal(() => byGuest.json('stop', 'live/a'), 1)).to.include('there is no stream')
    expect(await refusal(() => byGuest.json('alias', 'set', 'live/a', 'live/b'), 1)).to.include('role admin')
    await answer(boss.run(['users', 'remove', 'guest']))
    expect(await refusal(() => byGuest.json('streams'), 1)).to.include('invalid token')
    const byBoss = await loggedIn(boss)
    expect(await refusal(() => byBoss.json('users', 'remove', 'guest'), 1)).to.include('guest')
  })

  it('users tokens add makes one for a program, and remove ends that', async () => {
    const user = new CtlUser(server.http(''))
    const made = await answer<Json>(boss.run(['tokens', 'add', 'backup', '--expires', '90d']))
    const file = path.join(folder, 'token')
    await writeFile(file, `${String(made['token'])}\n`)
    expect(await answer(user.run(['--token-file', file, 'streams']))).to.eql([])
    const [listed] = await answer<Json[]>(boss.run(['tokens', 'list']))
    expect(listed).to.include({ name: 'backup', role: 'user' }).and.not.have.property('token')
    await answer(boss.run(['tokens', 'remove', String(made['id'])]))
    const program = new CtlRunner(server.http(''), String(made['token']))
    expect(await refusal(() => program.json('streams'), 1)).to.include('invalid token')
    const byBoss = await loggedIn(boss)
    expect(await refusal(() => byBoss.json('tokens', 'remove', String(made['id'])), 1)).to.include('there is no token')
  })
})

describe('sluice ctl, of a server that is started anew and ended', () => {
  it('restart and shutdown do it', async () => {
    const server = await ServerCommand.start([])
    const user = new CtlUser(server.http(''))
    await answer(user.run(['restart']))
    await waitFor(() => server.records.filter(({ msg }) => msg === 'the server is up').length === 2, {
      what: 'the server to be up again',
    })
    // It was told to take any port that is free.
    const port = server.records.findLast(({ owner }) => owner === 'the server')?.['port']
    const again = new CtlUser(`http://127.0.0.1:${String(port)}`)
    await answer(again.run(['shutdown', '--yes']))
    expect((await server.process.exit).code).to.equal(0)
  })
})

/** The task of a stream, wherever it is in the tree. */
function findTask(task: Json, owner: string): Json | undefined {
  if (task['owner'] === owner) return task
  const children = (task['children'] ?? []) as readonly Json[]
  return children.map((child) => findTask(child, owner)).find((found) => found !== undefined)
}
