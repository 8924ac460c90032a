import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { keep } from '../peers/lifetime.ts'
import { PostgresServer } from '../peers/postgres.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand, startCommand } from '../support/command.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { describeStores } from '../support/stores.ts'

/** An empty file is believed to be so after two seconds only, and changes wait for that. */
const NOTHING = '# nothing\n'
const STARTED = 'NetStream.Publish.Start'

type Answer = {
  readonly status: number
  readonly text: string
  readonly message: string
  /** What the envelope holds. */
  readonly data: Readonly<Record<string, unknown>>
}
type Asked = Pick<RunningServer, 'http'>

async function ask(server: Asked, request: string, body?: unknown): Promise<Answer> {
  const [method = '', target = ''] = request.split(' ')
  const json = body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await fetch(server.http(target), { method, ...json })
  const text = await response.text()
  const { message = '', data = {} } = /^[[{]/u.test(text) ? (JSON.parse(text) as Partial<Answer>) : {}
  return { status: response.status, text, message, data }
}

/** Asks for what must be done. */
async function done(...args: Parameters<typeof ask>): Promise<Answer['data']> {
  const { status, text, data } = await ask(...args)
  expect(status, text).to.equal(200)
  return data
}

/** The effective values of a section, with their sources. */
async function section(server: Asked, name: string) {
  const { config, sources } = await done(server, `GET /config/${name}`)
  return { config, sources } as { config: Record<string, Record<string, unknown>>; sources: Record<string, string> }
}

function mayPublish(server: Pick<RunningServer, 'rtmp'>, target: string): Promise<boolean> {
  return RtmpClient.connect({ url: server.rtmp(target) }).then((client) => {
    client.tell('publish', target.slice(target.indexOf('/') + 1), 'live')
    return client.isTold(STARTED)
  })
}

describe('the config at run time', () => {
  /** For tests that set nothing which a reset does not take back. */
  let shared: RunningServer
  before(async () => {
    shared = await startServer({ config: NOTHING })
  })
  afterEach(() => Promise.all(['global', 'rtmp'].map((name) => ask(shared, `POST /config/reset/${name}`))))

  it('has gates that hold for the next session, on connections from before, too', async () => {
    const server = await startServer({ config: 'rtmp: { publish: { key: hush } }\n' })
    const early = await RtmpClient.connect({ url: server.rtmp('live/early') })
    expect(await mayPublish(server, 'live/a')).to.equal(true)
    const { changed, requires_restart: restart } = await done(server, 'PUT /config/global', { EnableAuth: true })
    expect(changed).to.eql(['enableauth'])
    expect(restart).to.equal(false)
    expect(await mayPublish(server, 'live/b')).to.equal(false)
    early.tell('publish', 'early', 'live')
    expect(await early.isTold(STARTED)).to.equal(false)
    await done(server, 'POST /config/reset/global')
    expect(await mayPublish(server, 'live/c')).to.equal(true)
  })

  it('replaces what runs where a plugin does not take it live, and sessions stay', async () => {
    const server = await startServer({ config: NOTHING })
    await RtmpClient.publish({ url: server.rtmp('live/kept') })
    const port = server.rtmpPort
    await done(server, 'PUT /config/rtmp', { tcp: { nodelay: false } })
    const rtmp = () => server.server.host.list().find(({ name }) => name === 'rtmp')
    expect(rtmp()?.generation).to.equal(2)
    expect(server.rtmpPort).to.equal(port)
    expect(server.server.streams.get('live/kept')).not.to.equal(undefined)
    await done(server, 'POST /api/config/rtmp/reload')
    expect(rtmp()?.generation).to.equal(3)
    expect(server.server.streams.get('live/kept')).not.to.equal(undefined)
    expect(server.problems).to.eql([])
  })

  it('turns a plugin off and on', async () => {
    await done(shared, 'PUT /config/flv', { enable: false })
    expect((await ask(shared, 'GET /flv/live/a.flv')).status).to.equal(404)
    const { data } = await ask(shared, 'GET /config/')
    expect(data).to.deep.include({ name: 'flv', enabled: false, modified: true, revision: 1 })
    await done(shared, 'PUT /config/flv', { enable: null })
    expect(shared.server.host.list().find(({ name }) => name === 'flv')?.state).to.equal('running')
  })

  it('refuses what is wrong, by the name of the key, and changes nothing', async () => {
    const server = await startServer({ config: NOTHING })
    const wrong = [
      ['PUT /config/rtmp', { chunksize: 'big' }, /rtmp\.chunksize: expected an integer/u],
      ['PUT /config/rtmp', { chunksise: 5 }, /rtmp\.chunksise: unknown key, did you mean 'chunksize'\?/u],
      ['PUT /config/rtmp', { config: { chunksize: 0 } }, /rtmp\.chunksize: expected an integer/u],
      ['PUT /config/rtmp', { config: {}, revision: 'x' }, /^revision must be an integer$/u],
      ['PUT /api/config/rtmp', { config: {}, persistent: 1 }, /^persistent must be true or false$/u],
      ['PUT /config/rtmp', [], /^the body must be an object$/u],
      ['PUT /config/global', { db: { dsn: 'other.db' } }, /global\.db\.dsn: is needed to open the database/u],
      [
        'POST /api/config/modify',
        { name: 'rtmp', yaml: 'publish:\n  keey: x' },
        /modify:2:3: rtmp\.publish\.keey: unknown key/u,
      ],
      ['POST /api/config/modify/rtmp', 'publish: [', /^config modify:1:\d+: the indentation is wrong/u],
      [
        'POST /config/reset/rtmp',
        { keys: ['publish.keey'] },
        /rtmp\.publish\.keey: unknown key, did you mean 'publish\.key'\?/u,
      ],
    ] as const
    for (const [request, body, message] of wrong) {
      const answer = await ask(server, request, body)
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.message).to.match(message)
    }
    await server.writeConfig('rtmp: { chunksise: 1 }')
    expect(await ask(server, 'POST /api/config/rtmp/reload')).to.include({ status: 400 })
    for (const request of [
      'GET /config/page',
      'GET /api/config/get/none',
      'PUT /config/none',
      'GET /config/schema/none',
    ]) {
      expect(await ask(server, request, request.startsWith('PUT') ? {} : undefined), request).to.include({
        status: 404,
        message: 'not found',
      })
    }
    expect((await done(server, 'GET /api/config/get/rtmp'))['modified']).to.equal('')
  })

  it('moves the server to another address, and says so at the one that it was asked at', async () => {
    const server = await startServer({ config: NOTHING })
    const before = server.httpPort
    const { changed } = await done(server, 'PUT /config/global', { http: { listenaddr: '127.0.0.1:0' } })
    expect(changed).to.eql(['http.listenaddr'])
    expect(server.httpPort).not.to.equal(before)
    expect((await section(server, 'global')).sources['http.listenaddr']).to.equal('modify')
  })

  it('refuses an address that is in use as a whole, and stores nothing', async () => {
    const other = await startServer({ config: NOTHING })
    const http = { listenaddr: `:${other.httpPort}` }
    const answer = await ask(shared, 'PUT /config/global', { http, enableauth: true })
    expect(answer.status).to.equal(409)
    expect(answer.message).to.include(String(other.httpPort))
    const { config, sources } = await section(shared, 'global')
    expect(config['enableauth']).to.equal(false)
    expect(sources['http.listenaddr']).to.equal('env')
  })

  it('wins over the environment and the file, each of which comes back', async () => {
    const server = await startServer({
      config: 'rtmp: { chunksize: 4096, publish: { maxfps: 25 } }\n',
      env: { SLUICE_RTMP_CHUNKSIZE: '8192' },
    })
    const chunkSize = async () => {
      const { config, sources } = await section(server, 'rtmp')
      return [config['chunksize'], sources['chunksize'], config['publish']?.['maxfps'], sources['publish.maxfps']]
    }
    expect(await chunkSize()).to.eql([8192, 'env', 25, 'file'])
    await done(server, 'POST /api/config/modify', { name: 'RTMP', yaml: 'chunk-size: 2048\npublish: {maxfps: 30}\n' })
    expect(await chunkSize()).to.eql([2048, 'modify', 30, 'modify'])
    const keys = (await done(server, 'GET /config/debug/rtmp')) as unknown as { key: string; layers: object[] }[]
    const { layers = [] } = keys.find(({ key }) => key === 'chunksize') ?? {}
    expect(layers.map((layer) => Object.values(layer).slice(0, 2))).to.eql([
      ['modify', 2048],
      ['env', 8192],
      ['file', 4096],
      ['plugin', 65_536],
    ])
    expect(layers[0]).to.include({ place: 'config modify', by: 'anonymous' })
    await done(server, 'POST /config/reset/rtmp', { keys: ['chunk_size'] })
    expect(await chunkSize()).to.eql([8192, 'env', 30, 'modify'])
    await done(server, 'POST /config/reset/rtmp')
    expect(await chunkSize()).to.eql([8192, 'env', 25, 'file'])
  })

  it('tells who was first, where a change was made from an older revision', async () => {
    const { revision } = await done(shared, 'GET /config/rtmp')
    await done(shared, 'PUT /config/rtmp', { config: { chunksize: 2048 }, revision })
    const late = await ask(shared, 'PUT /config/rtmp', { config: { chunksize: 4096 }, revision })
    expect(late).to.include({ status: 409 })
    expect((await section(shared, 'rtmp')).config['chunksize']).to.equal(2048)
  })

  it('says what holds from the next start only, until which a plugin folder is not looked into', async () => {
    const answer = await done(shared, 'PUT /config/global', { plugins_dir: ['more'], publish: { maxcount: 9 } })
    expect(answer).to.deep.include({ requires_restart: true, restart_keys: ['plugins_dir'] })
    const storage = await done(shared, 'PUT /config/global', { storage: { local: { overwritepercent: 99 } } })
    expect(storage).to.deep.include({ requires_restart: true, restart_keys: ['storage.local.overwritepercent'] })
  })

  it('may be set until the server ends', async () => {
    const server = await startServer({ config: NOTHING })
    const put = await done(server, 'PUT /api/config/rtmp', { config: { chunksize: 2048 }, persistent: false })
    expect(put).to.deep.include({ persistent: false, changed: ['chunksize'] })
    await done(server, 'PUT /api/config/rtmp', { config: { chunksize: 4096 } })
    expect(await done(server, 'GET /api/config/rtmp')).to.deep.include({ persistent: true })
  })

  it('is checked without being set', async () => {
    const check = (config: object) => done(shared, 'POST /config/validate', { plugin: 'rtmp', config })
    expect(await check({ Chunk_Size: 4096 })).to.eql({ valid: true, problems: [] })
    expect(await check({ chunksize: 1, tcp: { listenaddr: 'x' } })).to.deep.include({ valid: false })
    const { problems } = (await check({ chunksize: 1, tcp: { listenaddr: 'x' } })) as { problems: { key: string }[] }
    expect(problems.map(({ key }) => key)).to.eql(['rtmp.chunksize', 'rtmp.tcp.listenaddr'])
    expect((await section(shared, 'rtmp')).sources['chunksize']).to.equal('plugin')
  })

  it('shows no secret, and takes what it shows', async () => {
    const server = await startServer({
      config: 'global: { publish: { key: hush-1 } }\nrtmp: { subscribe: { key: hush-2 } }\n',
    })
    const pull = { 'live/x': { url: 'rtmp://me:hush-3@127.0.0.1:1/live/x?token=hush-4' } }
    const change = { publish: { key: 'hush-5' }, signed_policy: { secret: 'hush-6' }, pull, enable: false }
    await done(server, 'PUT /config/rtmp', change)
    const targets = [
      '/config/',
      '/config/global',
      '/config/rtmp',
      '/config/debug',
      '/config/debug/rtmp',
      '/api/config/rtmp',
      '/api/config/get/rtmp',
      '/api/config/formily/rtmp',
      '/api/config/json/rtmp',
      '/api/config/json/rtmp?format=yaml',
      '/api/config/yaml/all',
      '/config/schema/rtmp',
      '/api/sysinfo',
      '/api/plugins/disabled',
    ]
    for (const target of targets) expect((await ask(server, `GET ${target}`)).text, target).not.to.match(/hush-\d/u)
    expect(JSON.stringify(server.records)).not.to.match(/hush-\d/u)

    const { config } = await section(server, 'rtmp')
    expect(config['publish']?.['key']).to.equal('******')
    const again = await done(server, 'PUT /config/rtmp', { config: { ...config, loglevel: 'warn' } })
    expect(again['changed']).to.eql(['loglevel'])
    expect(server.server.host.list().find(({ name }) => name === 'rtmp')?.config?.values).to.have.nested.property(
      'publish.key',
      'hush-5',
    )
    const masked = await ask(server, 'PUT /config/rtmp', { pull: { 'live/y': { url: 'rtmp://******@host/live/y' } } })
    expect(masked).to.include({ status: 400 })
    expect(masked.message).to.include('send the secret itself')
  })

  it('is told with its source in system information', async () => {
    const server = await startServer({ config: 'rtmp: { chunksize: 4096 }\n' })
    await done(server, 'PUT /config/rtmp', { publish: { kickexist: true } })
    const { plugins } = (await done(server, 'GET /api/sysinfo')) as {
      plugins: { name: string; description: { userConfig: string } }[]
    }
    const { userConfig } = plugins.find(({ name }) => name === 'rtmp')?.description ?? {}
    expect(userConfig)
      .to.match(/kickexist: true # modify\n/u)
      .and.match(/chunksize: 4096\n/u)
  })
})

describe('the views of the config', () => {
  let server: RunningServer
  before(async () => {
    server = await startServer({ config: 'rtmp: { publish: { kickexist: true } }\n' })
    await done(server, 'PUT /config/rtmp', { chunksize: 4096, publish: { publishtimeout: 12 } })
  })

  it('are YAML by layer, and JSON as in a file', async () => {
    const { file, modified, merged } = (await done(server, 'GET /api/config/get/rtmp')) as Record<string, string>
    expect(parse(file ?? '')).to.eql({ publish: { kickexist: true } })
    expect(parse(modified ?? '')).to.eql({ chunksize: 4096, publish: { publishtimeout: '12s' } })
    const bare = JSON.parse((await ask(server, 'GET /api/config/json/RTMP')).text) as unknown
    expect(bare).to.eql(parse(merged ?? ''))
    expect(bare).to.have.nested.property('publish.publishtimeout', '12s')
  })

  it('have what a section would have without it', async () => {
    const { config, inherited } = await done(server, 'GET /config/rtmp')
    expect(config).to.have.nested.property('publish.kickexist', true)
    expect(inherited).to.have.nested.property('publish.kickexist', false)
    expect(inherited).to.have.property('chunksize', 65_536)
  })

  it('have all keys as a template', async () => {
    const all = parse((await ask(server, 'GET /api/config/yaml/all')).text) as object
    expect(all).to.include.keys('global', 'rtmp', 'hls').and.have.nested.property('rtmp.publish')
    const own = parse((await ask(server, 'GET /api/config/yaml/all?name=rtmp&common=false')).text) as object
    expect(own).to.have.all.keys('rtmp').and.not.have.nested.property('rtmp.publish')
  })

  it('are forms', async () => {
    const { merged } = (await done(server, 'GET /api/config/formily/rtmp')) as Record<string, string>
    const form = JSON.parse(merged ?? '') as unknown
    expect(form).to.have.property('type', 'object')
    const nodeOf = (place: string) => `properties.publish.properties.${place}`
    expect(form).to.have.nested.property(`${nodeOf('key')}.x-component`, 'Password')
    expect(form).to.have.nested.property(`${nodeOf('kickexist')}.default`, true)
    expect(form).to.have.nested.property(
      `${nodeOf('kickexist')}.x-decorator-props.tooltip`,
      'file: true, default: false',
    )
    expect(form).to.have.nested.property('properties.loglevel.enum').that.has.length(5)
  })

  it('are JSON Schemas, by which anything that has a default may be left out', async () => {
    const schema = await done(server, 'GET /config/schema/rtmp')
    expect(schema).to.have.nested.property('properties.publish.title', 'Publish')
    expect(schema).to.have.nested.property('properties.publish.properties.key.writeOnly', true)
    expect(schema).to.have.nested.property('properties.chunksize.description')
    expect(JSON.stringify(schema)).not.to.match(/"required":\["(?!url"\])/u)
  })
})

describe('the config file over HTTP', () => {
  const TEXT = '# mine\nrtmp: { chunksize: 4096 }\n'

  it('is read and written as a whole, beside a backup, and holds at once', async () => {
    const server = await startServer({ config: TEXT })
    await chmod(server.configFile, 0o600)
    expect(await done(server, 'GET /api/config/file')).to.equal(TEXT)
    await done(server, 'POST /api/config/file/update', '# newer\nrtmp: { chunksize: 8192 }\n')
    expect((await section(server, 'rtmp')).config['chunksize']).to.equal(8192)
    expect(await readFile(server.configFile, 'utf8')).to.equal('# newer\nrtmp: { chunksize: 8192 }\n')
    expect((await stat(server.configFile)).mode & 0o777).to.equal(0o600)
    const [backup = ''] = (await readdir(server.folder)).filter((name) => /^config\.yaml\.bak\.\d{14}$/u.test(name))
    expect(await readFile(path.join(server.folder, backup), 'utf8')).to.equal(TEXT)
    const plain = { method: 'POST', body: TEXT, headers: { 'content-type': 'text/plain' } }
    expect((await fetch(server.http('/api/config/file/update'), plain)).status).to.equal(200)
    expect((await section(server, 'rtmp')).config['chunksize']).to.equal(4096)
    expect(server.problems).to.eql([])
  })

  it('stays as it is when the new one is wrong', async () => {
    const server = await startServer({ config: TEXT })
    for (const text of ['rtmp: { chunksise: 1 }\n', 'rtmp: [', 'global: { loglevel: loud }']) {
      const answer = await ask(server, 'POST /api/config/file/update', text)
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.message).to.match(/config\.yaml:1:\d+: /u)
    }
    expect((await readdir(server.folder)).filter((name) => name.startsWith('config.yaml'))).to.eql(['config.yaml'])
    expect(await readFile(server.configFile, 'utf8')).to.equal(TEXT)
  })

  it('is copied when something is set as in 5.x', async () => {
    const server = await startServer({ config: TEXT })
    for (const yaml of ['chunksize: 512', 'chunksize: 1024']) {
      await done(server, 'POST /api/config/modify/rtmp', yaml)
    }
    expect((await section(server, 'rtmp')).config['chunksize']).to.equal(1024)
    expect((await readdir(server.folder)).filter((name) => name.includes('.bak.'))).to.have.length(1)
  })
})

describeStores('the config at run time, in the database', (databases) => {
  it('is there after a server was killed that had answered, with all that many have set at once', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-runtime-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    const file = path.join(folder, 'config.yaml')
    await writeFile(file, JSON.stringify({ global: { db: await databases.create() } }))
    const args = ['-c', file]
    const server = await ServerCommand.start(args, { cwd: folder })
    const { properties } = (await done(server, 'GET /config/schema/global')) as {
      properties: { subscribe: { properties: Record<string, { default: unknown; format?: string }> } }
    }
    const keys = Object.entries(properties.subscribe.properties)
    const durations = keys.filter(([, { format }]) => format === 'duration').map(([key]) => key)
    const changes = ['global', 'rtmp', 'rtsp', 'flv', 'hls'].flatMap((name, place) =>
      durations.slice(0, 4).map((key, index) => ({ name, key, value: `${31 + 4 * place + index}s` })),
    )
    expect(changes).to.have.length(20)
    const set = ({ name, key, value }: (typeof changes)[number]) => {
      return done(server, `PUT /config/${name}`, { subscribe: { [key]: value } })
    }
    await Promise.all(changes.map(set))
    server.process.signal('SIGKILL')
    await server.process.exit
    const checked = String(await startCommand(['check', ...args], { cwd: folder }).succeed())
    expect(checked.match(/: (?:3[1-9]|4\d|50)s +# modify/gu)).to.have.length(20)
    const again = await ServerCommand.start(args, { cwd: folder })
    for (const { name, key, value } of changes) {
      const { config, sources } = await section(again, name)
      expect([config['subscribe']?.[key], sources[`subscribe.${key}`]], `${name} ${key}`).to.eql([value, 'modify'])
    }
  })
})

describe('a server with what was set at run time', () => {
  let folder: string
  let args: readonly string[]
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-runtime-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    args = ['-c', path.join(folder, 'config.yaml')]
    await writeFile(path.join(folder, 'config.yaml'), NOTHING)
  })

  async function stop(server: ServerCommand): Promise<void> {
    server.process.signal('SIGTERM')
    await server.process.exit
  }

  it('finds its plugins and addresses by it, and ends with the way out where it can not start so', async () => {
    const server = await ServerCommand.start(args, { cwd: folder })
    const plugin = (key: string) =>
      `import { definePlugin, Type } from 'sluice/sdk'\nexport default definePlugin({ name: 'mine', version: '1.0.0',` +
      ` config: Type.Object({ ${key}: Type.Integer({ default: 1 }) }), setup() {} })\n`
    await writeFile(path.join(folder, 'mine.ts'), plugin('size'))
    await done(server, 'PUT /config/global', { plugins_dir: ['.'] })
    await stop(server)
    const second = await ServerCommand.start(args, { cwd: folder })
    await done(second, 'PUT /config/mine', { size: 5 })
    expect((await section(second, 'mine')).config['size']).to.equal(5)
    await stop(second)

    await writeFile(path.join(folder, 'mine.ts'), plugin('width'))
    const third = startCommand(args, { cwd: folder })
    expect(await third.exit).to.include({ code: 1 })
    expect(third.stderr).to.include('config modify: mine.size: unknown key').and.include('sluice reset SECTION.KEY')
    const reset = (...names: string[]) => startCommand(['reset', ...args, ...names], { cwd: folder })
    expect(String(await reset('mine.size').succeed())).to.equal('reset mine.size\n')
    expect(await reset('mine').exit).to.include({ code: 1 })
    const fourth = await ServerCommand.start(args, { cwd: folder })
    expect((await section(fourth, 'mine')).config['width']).to.equal(1)
  })

  it('lets no client in while it is not known, as gates may be on', async function () {
    requirePeer(this, 'postgresql')
    const database = await PostgresServer.start()
    const config = JSON.stringify({
      global: { db: await database.createDatabase() },
      rtmp: { publish: { key: 'hush' } },
    })
    const first = await startServer({ config })
    await done(first, 'PUT /config/rtmp', { enableauth: true })
    await first.stop()
    await database.stop()
    const server = await startServer({ config })
    expect(await mayPublish(server, 'live/a')).to.equal(false)
    expect((await ask(server, 'GET /readyz')).text).to.include('"config"')
    expect(await ask(server, 'PUT /config/rtmp', { chunksize: 512 })).to.include({ status: 503 })
    await database.start()
    await waitFor(async () => (await ask(server, 'GET /readyz')).status === 200, { what: 'the config to be known' })
    expect(await mayPublish(server, 'live/b')).to.equal(false)
    expect((await section(server, 'rtmp')).sources['enableauth']).to.equal('modify')
    await done(server, 'POST /config/reset/rtmp')
    expect(await mayPublish(server, 'live/c')).to.equal(true)
  })
})
