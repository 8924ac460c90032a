import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { SignJWT } from 'jose'
import { parse } from 'yaml'
import { WebSocket } from 'ws'
import { Config } from '../../core/config/config.ts'
import { LOGIN_MIGRATIONS, LOGIN_OWNER, type LoginTables } from '../../core/login/login-tables.ts'
import { PostgresServer } from '../peers/postgres.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand, startCommand } from '../support/command.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { askFrom, requireOtherAddress } from '../support/other-address.ts'
import { startServer, type ApiAnswer, type RunningServer } from '../support/server.ts'
import { openStore } from '../support/stores.ts'

const PASSWORD = 'correct horse'
const CONFIG = `
global:
  plugins_dir: plugins
  admin:
    enablelogin: true
    users:
      - { username: alice, password: ${PASSWORD}, role: admin }
      - { username: bob, password: ${PASSWORD} }
`
/** A plugin with whatever a plugin can add to the administration. */
const PLUGIN = `
import { definePlugin, Type } from 'sluice/sdk'
import { WebSocketServer } from 'ws'

const server = new WebSocketServer({ noServer: true })

export default definePlugin({
  name: 'own',
  version: '1.0.0',
  setup(ctx) {
    const { operations } = ctx
    operations.add({ method: 'GET', path: 'api/who', summary: 'Who', answer: Type.String(), handle: ({ user }) => user })
    operations.add({ method: 'POST', path: '/api/own/set', aliases: ['GET api/set'], summary: 'Set', handle() {} })
    operations.events({ path: 'api/beat', summary: 'Beat', event: Type.String(), async *events({ user }) { yield user } })
    operations.socket({
      path: 'api/echo',
      summary: 'Echo',
      access: 'user',
      open: ({ user, request, socket, head }) => server.handleUpgrade(request, socket, head, (client) => {
        client.send(user)
        client.on('message', (data) => client.send(data.toString()))
      }),
    })
    operations.socket({ path: 'api/talk', summary: 'Talk', open: ({ socket }) => socket.destroy() })
    ctx.http.get('/read', () => 'read')
    ctx.http.get('/switch', { config: { changes: true } }, () => 'switched')
    ctx.http.post('/change', () => 'changed')
    ctx.http.get('/media', { config: { access: 'public' } }, () => 'media')
  },
})
`

async function putPlugin(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'plugins'))
  await writeFile(path.join(folder, 'plugins', 'own.ts'), PLUGIN)
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function post(server: RunningServer, route: string, body: object, token = ''): Promise<ApiAnswer> {
  const headers = { 'content-type': 'application/json', ...(token !== '' && bearer(token)) }
  return server.api(route, { method: 'POST', headers, body: JSON.stringify(body) })
}

type LoginData = {
  readonly token: string
  readonly userInfo: { readonly username: string; readonly expiresAt: string; readonly role: string }
}

async function logIn(server: RunningServer, username: string, password = PASSWORD): Promise<string> {
  const { status, body } = await post(server, '/api/auth/login', { username, password })
  expect(status, body.message).to.equal(200)
  return (body.data as LoginData).token
}

async function statusOf(server: RunningServer, token: string, route = '/api/stream/list'): Promise<number> {
  return (await server.api(route, { headers: bearer(token) })).status
}

type Described = { readonly [method: string]: { readonly 'x-access': string; readonly responses: object } }
type Route = { readonly method: string; readonly url: string; readonly access: string; readonly isSocket: boolean }

/** All routes of the API's description, with something for each parameter, and others that are in none. */
async function routesOf(server: RunningServer, headers: Record<string, string> = {}): Promise<Route[]> {
  const { body } = await server.api('/api/openapi.json', { headers })
  const described = Object.entries(body['paths'] as Readonly<Record<string, Described>>).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, { 'x-access': access, responses }]) => ({
      method: method.toUpperCase(),
      access,
      isSocket: '101' in responses,
      url: url.replaceAll(/\{\w+\}/gu, '1'),
    })),
  )
  const others = [
    { method: 'GET', url: '/metrics', access: 'user' },
    { method: 'GET', url: '/api/no/such', access: 'user' },
    { method: 'POST', url: '/api/no/such', access: 'user' },
    { method: 'GET', url: '/own/read', access: 'user' },
    { method: 'GET', url: '/own/switch', access: 'admin' },
    { method: 'POST', url: '/own/change', access: 'admin' },
  ].map((route) => ({ ...route, isSocket: false }))
  return [...described, ...others]
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'c2x1aWNlIGtub2NrcyBhdA==',
}

/** The answers to all routes, as `METHOD url status`, of those whose status is none of these. */
async function answersBut(
  expected: (route: Route, status: number) => boolean,
  {
    address,
    server,
    headers = {},
    routes,
  }: {
    readonly address: string
    readonly server: RunningServer
    readonly headers?: Record<string, string>
    readonly routes: readonly Route[]
  },
): Promise<string[]> {
  const unexpected = []
  for (const route of routes) {
    const { method, url, isSocket } = route
    const all = { ...headers, ...(isSocket && UPGRADE) }
    const body = method === 'GET' ? '' : '{}'
    const { status } = await askFrom(address, server.http(url), { method, headers: all, body })
    if (!expected(route, status)) unexpected.push(`${method} ${url} ${status}`)
  }
  return unexpected
}

/** What needs no token: the login, and where devices put the pictures that they were asked for, by a token of its own. */
const OPEN: ReadonlySet<string> = new Set(['/api/auth/login', '/gb28181/api/snap/upload'])

describe('the administration', () => {
  describe('while login is on', () => {
    let server: RunningServer
    before(async () => {
      server = await startServer({ config: CONFIG, prepare: putPlugin })
    })
    after(() => expect(server.problems.filter(({ msg }) => msg !== 'a login failed')).to.eql([]))

    it('has login, userinfo and logout as clients know them', async () => {
      const { status, body } = await post(server, '/api/auth/login', { username: 'Alice', password: PASSWORD })
      const { token, userInfo } = body.data as LoginData
      expect([status, body.code, body.message]).to.eql([200, 0, 'success'])
      expect(token.split('.')).to.have.length(3)
      expect(userInfo).to.include({ username: 'alice', role: 'admin' })
      expect(userInfo.expiresAt).to.match(/^\d{10}$/u)
      expect(Number(userInfo.expiresAt)).to.be.closeTo(Date.now() / 1000 + 86_400, 300)
      const info = (query = '') => server.api(`/api/auth/userinfo${query}`, { headers: bearer(token) })
      expect((await info()).body).to.eql({ code: 0, message: 'success', data: userInfo })
      const other = await logIn(server, 'bob')
      expect((await info(`?token=${other}`)).body.data).to.include({ username: 'bob' })
      // The token of the body ends, or else that of the request.
      expect((await post(server, '/api/auth/logout', { token: other }, token)).body).to.eql({
        code: 0,
        message: 'success',
      })
      expect([await statusOf(server, other), await statusOf(server, token)]).to.eql([401, 200])
      await post(server, '/api/auth/logout', {}, token)
      expect(await statusOf(server, token)).to.equal(401)
    })

    it('says who is not let in, and why', async () => {
      const refusals = [
        { headers: {}, message: 'missing authorization header' },
        { headers: { authorization: 'Basic YTpi' }, message: 'missing authorization header' },
        { headers: bearer('nonsense'), message: 'invalid token' },
        { headers: { 'access-token': 'nonsense' }, message: 'invalid token' },
      ]
      for (const { headers, message } of refusals) {
        const { status, body } = await server.api('/api/stream/list', { headers })
        expect([status, body]).to.eql([401, { code: 16, message, details: [] }])
      }
      const { status, body } = await post(server, '/api/auth/login', { username: 'alice', password: 'wrong horse' })
      expect([status, body]).to.eql([401, { code: 16, message: 'invalid credentials', details: [] }])
    })

    it('takes the token from either header, and from the query of WebSockets and event streams alone', async () => {
      const token = await logIn(server, 'bob')
      const who = async (headers: Record<string, string>, query = '') =>
        (await server.api(`/own/api/who${query}`, { headers })).body.data
      expect(await who(bearer(token))).to.equal('bob')
      expect(await who({ 'access-token': token, authorization: 'Basic YTpi' })).to.equal('bob')
      expect(await who({}, `?token=${token}`)).to.equal(undefined)
      const events = await fetch(server.http(`/own/api/beat?token=${token}`), {
        headers: { accept: 'text/event-stream' },
      })
      expect([events.status, await events.text()]).to.eql([200, 'data: "bob"\n\n'])
      const client = new WebSocket(server.ws(`/own/api/echo?token=${token}`))
      const [name] = (await once(client, 'message')) as [Buffer]
      expect(name.toString()).to.equal('bob')
      client.terminate()
      expect(JSON.stringify(server.records)).not.to.include(token)
    })

    it('loses nothing that comes with or after the request for a WebSocket', async () => {
      const token = await logIn(server, 'alice')
      const client = new WebSocket(server.ws('/own/api/echo'), { headers: bearer(token) })
      // `ws` sends nothing before it is answered, so that this goes by hand.
      const frame = (text: string) => {
        const bytes = Buffer.from(text)
        return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes])
      }
      const received: string[] = []
      client.on('message', (data: Buffer) => received.push(data.toString()))
      const request = Reflect.get(client, '_req') as ClientRequest
      const [socket] = (await once(request, 'socket')) as [Socket]
      await once(socket, 'connect')
      socket.write(frame('one'))
      socket.write(frame('two'))
      await waitFor(() => received.length === 3, { what: 'both messages' })
      expect(received).to.eql(['alice', 'one', 'two'])
      client.terminate()
    })

    it('answers nobody without a token, wherever they are, but media and health', async function () {
      const token = await logIn(server, 'alice')
      const routes = await routesOf(server, bearer(token))
      expect(routes.length).to.be.greaterThan(50)
      for (const address of ['127.0.0.1', requireOtherAddress(this)]) {
        const isRefused = ({ url }: Route, status: number) => status === (OPEN.has(url) ? 400 : 401)
        expect(await answersBut(isRefused, { address, server, routes })).to.eql([])
        for (const url of ['/healthz', '/readyz', '/own/media', '/']) {
          expect((await askFrom(address, server.http(url))).status, url).to.equal(200)
        }
      }
    })

    it('lets users read, and change nothing', async function () {
      const address = requireOtherAddress(this)
      const routes = await routesOf(server, bearer(await logIn(server, 'alice')))
      const own = [...OPEN, '/api/auth/logout']
      for (const { method, url, access } of routes) {
        if (method !== 'GET' && !own.includes(url) && !url.includes('/no/such')) expect(access, url).to.equal('admin')
      }
      const headers = bearer(await logIn(server, 'bob'))
      const asked = routes.filter(({ url }) => !own.includes(url))
      const isRight = ({ access, url }: Route, status: number) =>
        access === 'admin'
          ? status === 403
          : status !== 401 && status !== 403 && (status !== 404 || url.includes('1') || url.includes('/no/'))
      expect(await answersBut(isRight, { address, server, headers, routes: asked })).to.eql([])
      const { body } = await server.api('/own/change', { method: 'POST', headers })
      expect(body).to.eql({ code: 7, message: 'bob may read, and change nothing', details: [] })
    })

    it('lets admins change things from anywhere, by a login or a token, until that is taken away', async function () {
      const address = requireOtherAddress(this)
      const admin = await logIn(server, 'alice')
      const added = await post(server, '/api/token/add', { name: 'build', role: 'admin', expires: '90d' }, admin)
      const { token, id, ...shown } = added.body.data as { token: string; id: number; expiresAt: string }
      expect(shown).to.include({ name: 'build', role: 'admin', usedAt: '' })
      expect(Date.parse(shown.expiresAt)).to.be.closeTo(Date.now() + 90 * 86_400_000, 600_000)
      const change = async (credential: string) =>
        (
          await askFrom(address, server.http('/own/change'), {
            method: 'POST',
            headers: bearer(credential),
            body: '{}',
          })
        ).status
      expect([await change(admin), await change(token)]).to.eql([200, 200])
      const list = await server.api('/api/token/list', { headers: bearer(token) })
      expect(JSON.stringify(list.body)).to.include('"build"').and.not.include(token)
      expect((await post(server, `/api/token/remove/${id}`, {}, admin)).status).to.equal(200)
      expect(await change(token)).to.equal(401)
      expect((await post(server, `/api/token/remove/${id}`, {}, admin)).status).to.equal(404)
    })

    it('manages users', async () => {
      const admin = await logIn(server, 'alice')
      const carol = { username: 'Carol', password: 'carols password' }
      expect((await post(server, '/api/user/add', carol, admin)).body.data).to.include({
        username: 'carol',
        role: 'user',
      })
      const again = await post(server, '/api/user/add', { ...carol, username: 'CAROL' }, admin)
      expect([again.status, again.body.message]).to.eql([409, 'there is a user carol already'])
      const short = await post(server, '/api/user/add', { username: 'dave', password: '1234567' }, admin)
      expect([short.status, short.body.message]).to.eql([400, 'a password has 8 to 1024 bytes'])
      const token = await logIn(server, 'carol', carol.password)
      await post(server, '/api/user/update', { username: 'carol', password: 'another password' }, admin)
      expect(await statusOf(server, token)).to.equal(401)
      const next = await logIn(server, 'carol', 'another password')
      const { body } = await server.api('/api/user/list', { headers: bearer(admin) })
      expect((body.data as { username: string; role: string }[]).map(({ username, role }) => [username, role])).to.eql([
        ['alice', 'admin'],
        ['bob', 'user'],
        ['carol', 'user'],
      ])
      expect(await statusOf(server, next, '/api/user/list')).to.equal(403)
      expect((await post(server, '/api/user/remove', { username: 'carol' }, admin)).status).to.equal(200)
      expect(await statusOf(server, next)).to.equal(401)
      const last = await post(server, '/api/user/remove', { username: 'alice' }, admin)
      expect([last.status, last.body.message]).to.eql([409, 'alice is the last admin; add another one first'])
      expect((await post(server, '/api/user/remove', { username: 'nobody' }, admin)).status).to.equal(404)
    })

    it('gives a new token with any answer when a token is about to expire', async () => {
      const tables = openStore(path.join(server.folder, 'data', 'sluice.db')).store.tables<LoginTables>(
        LOGIN_OWNER,
        LOGIN_MIGRATIONS,
      )
      const { value } = await tables.selectFrom('sluice_login_secret').select('value').executeTakeFirstOrThrow()
      const { stamp } = await tables
        .selectFrom('sluice_user')
        .select('stamp')
        .where('name', '=', 'bob')
        .executeTakeFirstOrThrow()
      const signed = (leftS: number) =>
        new SignJWT({ stamp, sub: 'bob', jti: 'x', iss: 'sluice', exp: Math.floor(Date.now() / 1000) + leftS })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(Buffer.from(value, 'base64url'))
      for (const route of [
        '/api/stream/list',
        '/api/stream/info/none',
        '/metrics',
        '/api/no/such',
        '/own/read',
        '/own/api/who',
      ]) {
        const { headers } = await fetch(server.http(route), { headers: bearer(await signed(1000)) })
        const token = headers.get('new-token') ?? ''
        expect(headers.get('grpc-metadata-new-token'), route).to.equal(token)
        expect(headers.get('access-control-expose-headers'), route).to.match(/New-Token/u)
        expect(await statusOf(server, token), route).to.equal(200)
        const { headers: early } = await fetch(server.http(route), { headers: bearer(await signed(2000)) })
        expect(early.has('new-token'), route).to.equal(false)
      }
    })

    it('has the page offer the list of streams to everybody, who then has to log in', async function () {
      const { text } = await askFrom(requireOtherAddress(this), server.http('/home/addresses'))
      expect(JSON.parse(text)).to.include({ administration: true })
    })

    it('tells no secret, neither in answers nor in the log', async () => {
      const admin = await logIn(server, 'alice')
      const { body } = await post(server, '/api/token/add', { name: 'quiet' }, admin)
      const { token } = body.data as { token: string }
      await statusOf(server, token)
      const tables = openStore(path.join(server.folder, 'data', 'sluice.db')).store.tables<LoginTables>(
        LOGIN_OWNER,
        LOGIN_MIGRATIONS,
      )
      const users = await tables.selectFrom('sluice_user').selectAll().execute()
      const tokens = await tables.selectFrom('sluice_api_token').selectAll().execute()
      const secrets = await tables.selectFrom('sluice_login_secret').selectAll().execute()
      const kept = [
        ...users.flatMap(({ password, stamp }) => [password, stamp]),
        ...tokens.map(({ hash }) => hash),
        ...secrets.map(({ value }) => value),
      ]
      const answers: string[] = []
      for (const { method, url, isSocket } of await routesOf(server, bearer(admin))) {
        // The file is what its admins write into it, and for them alone.
        if (method !== 'GET' || isSocket || url === '/api/config/file') continue
        const headers = { ...bearer(admin), accept: 'application/json' }
        answers.push((await askFrom('127.0.0.1', server.http(`${url}?format=json`), { headers })).text)
      }
      expect(answers.join('')).to.include('"alice"')
      const told = answers.join('') + JSON.stringify(server.records)
      for (const secret of [...kept, PASSWORD, token, admin]) expect(told.includes(secret), secret).to.equal(false)
    })
  })

  describe('while login is off', () => {
    let server: RunningServer
    before(async () => {
      server = await startServer({ config: 'global: {plugins_dir: plugins}\n', prepare: putPlugin })
    })

    it('answers this machine alone, the login too', async function () {
      const address = requireOtherAddress(this)
      const routes = await routesOf(server)
      const body = '{"username":"a","password":"b"}'
      const asked = routes.filter(({ url }) => !OPEN.has(url))
      expect(await answersBut((_route, status) => status === 401, { address, server, routes: asked })).to.eql([])
      const login = await askFrom(address, server.http('/api/auth/login'), { method: 'POST', body })
      expect([login.status, login.text]).to.eql([
        401,
        '{"code":16,"message":"administration is open to this machine only; reach it over localhost","details":[]}',
      ])
      expect((await askFrom(address, server.http('/own/media'))).status).to.equal(200)
    })

    it('takes any login for nobody in particular, who needs none', async () => {
      const { body } = await post(server, '/api/auth/login', { username: 'x', password: 'y' })
      const { token, userInfo } = body.data as LoginData
      expect(userInfo.username).to.equal('anonymous')
      for (const headers of [{}, bearer(token)]) {
        expect((await server.api('/own/api/who', { headers })).body.data).to.equal('anonymous')
        const { data } = (await server.api('/api/auth/userinfo', { headers })).body
        expect(data).to.include({ username: 'anonymous' })
      }
      expect((await post(server, '/api/auth/logout', { token }, token)).status).to.equal(200)
    })
  })

  it('is opened and closed to logins by the config, while it runs', async () => {
    const server = await startServer()
    const status = async () => (await server.api('/api/stream/list')).status
    expect(await status()).to.equal(200)
    await server.writeConfig(CONFIG.replace('  plugins_dir: plugins\n', ''))
    await waitFor(async () => (await status()) === 401, { what: 'login to be on' })
    const token = await waitFor(() => logIn(server, 'alice').catch(() => undefined), { what: 'the users' })
    expect(await statusOf(server, token)).to.equal(200)
    await server.writeConfig('global: {loglevel: debug}\n')
    await waitFor(async () => (await status()) === 200, { what: 'login to be off' })
  })

  it('is behind HTTP Basic with everything else, where the config has that', async () => {
    const server = await startServer({
      config: `${CONFIG}  http: {username: viewer, password: ${PASSWORD}}\n`,
      prepare: putPlugin,
    })
    const basic = { authorization: `Basic ${btoa(`viewer:${PASSWORD}`)}` }
    const status = async (route: string, headers = {}) => (await fetch(server.http(route), { headers })).status
    for (const route of ['/', '/own/media', '/flv/live/a.txt', '/hls/live/a.txt', '/api/stream/list', '/readyz']) {
      expect(await status(route), route).to.equal(401)
    }
    expect([await status('/healthz'), await status('/own/media', basic), await status('/', basic)]).to.eql([
      200, 200, 200,
    ])
    expect(await status('/api/stream/list', basic)).to.equal(401)
    const { body } = await server.api('/api/auth/login', {
      method: 'POST',
      headers: { ...basic, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'bob', password: PASSWORD }),
    })
    const { token } = body.data as LoginData
    expect(await status('/api/stream/list', { ...basic, 'access-token': token })).to.equal(200)
    expect(await status('/api/stream/list', bearer(token))).to.equal(401)
    await server.writeConfig(CONFIG)
    const isOpen = async () => (await status('/own/media')) === 200 && (await status('/readyz')) === 200
    await waitFor(isOpen, { what: 'Basic to be off' })
  })

  it('lets the first admin in by the token of the log, once', async () => {
    const server = await startServer({ config: 'global: {admin: {enablelogin: true}}\n' })
    const lines = server.records.filter(({ msg }) => msg.includes('there is no admin yet'))
    expect(lines).to.have.length(1)
    const [, password = ''] = /password ([\w-]{32}),/u.exec(lines[0]?.msg ?? '') ?? []
    const setup = await logIn(server, 'admin', password)
    expect((await post(server, '/api/auth/login', { username: 'admin', password })).status).to.equal(401)
    const first = { username: 'alice', password: PASSWORD, role: 'admin' }
    expect((await post(server, '/api/user/add', first, setup)).status).to.equal(200)
    expect(await statusOf(server, setup)).to.equal(401)
    expect(await statusOf(server, await logIn(server, 'alice'))).to.equal(200)
  })

  it('lets nobody guess on, by address as a trusted proxy tells it', async () => {
    const server = await startServer({
      config: `${CONFIG.replace('  plugins_dir: plugins\n', '')}  http: {trustproxy: 127.0.0.1}\n`,
    })
    const attempt = (ip: string, password: string) =>
      server.api('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
        body: JSON.stringify({ username: 'bob', password }),
      })
    for (let count = 0; count < 20; count++) expect((await attempt('2001:db8::1', 'wrong horse')).status).to.equal(401)
    const { status, headers, body } = await attempt('2001:db8::2', PASSWORD)
    expect([status, body.code]).to.eql([429, 8])
    expect(Number(headers.get('retry-after'))).to.be.within(1, 600)
    expect((await attempt('2001:db8:0:1::1', PASSWORD)).status).to.equal(200)
  })

  it('is closed by the command line at once', async () => {
    const server = await startServer({ config: CONFIG, prepare: putPlugin })
    const env = { SLUICE_GLOBAL_DATADIR: path.join(server.folder, 'data') }
    const run = async (args: readonly string[], input?: string) =>
      String(
        await startCommand([...args, '-c', server.configFile], {
          env,
          ...(input !== undefined && { input }),
        }).succeed(),
      )
    const [admin, bob] = [await logIn(server, 'alice'), await logIn(server, 'bob')]
    const token = (await run(['token', 'add', 'build', '--role', 'admin'])).trim()
    expect(await statusOf(server, token)).to.equal(200)
    expect(await run(['token', 'list'])).to.match(/^ *1 +build +admin /mu)
    await run(['token', 'remove', '1'])
    expect(await statusOf(server, token)).to.equal(401)
    await run(['user', 'remove', 'bob'])
    expect(await statusOf(server, bob)).to.equal(401)
    await run(['user', 'passwd', 'Alice'], 'another horse\n')
    expect(await statusOf(server, admin)).to.equal(401)
    expect(await statusOf(server, await logIn(server, 'alice', 'another horse'))).to.equal(200)
  })

  it('keeps what was answered when the server is killed', async () => {
    const folder = (await startServer()).folder
    const file = path.join(folder, 'killed.yaml')
    await writeFile(file, CONFIG.replace('  plugins_dir: plugins\n', ''))
    const start = () => ServerCommand.start(['-c', file], { cwd: folder })
    let server = await start()
    const ask = async (route: string, body: object, token = '') => {
      const headers = { 'content-type': 'application/json', ...(token !== '' && bearer(token)) }
      const answer = await fetch(server.http(route), { method: 'POST', headers, body: JSON.stringify(body) })
      expect(answer.status, route).to.equal(200)
      return ((await answer.json()) as { data: { token: string } }).data
    }
    const status = async (token: string) =>
      (await fetch(server.http('/api/user/list'), { headers: bearer(token) })).status
    const killed = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const result = await work()
      server.process.signal('SIGKILL')
      await server.process.exit
      server = await start()
      return result
    }
    const admin = (await ask('/api/auth/login', { username: 'alice', password: PASSWORD })).token
    const { token } = await killed(() => ask('/api/token/add', { name: 'x', role: 'admin' }, admin))
    expect([await status(token), await status(admin)]).to.eql([200, 200])
    await killed(() => ask('/api/user/add', { username: 'carol', password: PASSWORD, role: 'admin' }, admin))
    const carol = (await ask('/api/auth/login', { username: 'carol', password: PASSWORD })).token
    await killed(() => ask('/api/auth/logout', {}, admin))
    expect([await status(admin), await status(carol)]).to.eql([401, 200])
    await killed(() => ask('/api/user/remove', { username: 'carol' }, token))
    expect(await status(carol)).to.equal(401)
    await killed(() => ask('/api/token/remove/1', {}, token))
    expect(await status(token)).to.equal(401)
  })

  describe('on PostgreSQL', () => {
    before(function () {
      requirePeer(this, 'postgresql')
    })

    it('lets nobody in while the database is away, and everybody again who could before', async () => {
      const postgres = await PostgresServer.start()
      const env = { SLUICE_GLOBAL_DB_DSN: await postgres.createDatabase() }
      const server = await startServer({ config: CONFIG, prepare: putPlugin, env })
      const admin = await logIn(server, 'alice')
      const { body } = await post(server, '/api/token/add', { name: 'x', role: 'user' }, admin)
      const { token } = body.data as { token: string }
      expect([await statusOf(server, admin), await statusOf(server, token)]).to.eql([200, 200])
      await postgres.stop()
      for (const credential of [admin, token]) {
        const answer = await server.api('/api/stream/list', { headers: bearer(credential) })
        expect(answer.status).to.equal(503)
        expect(answer.body.message).to.match(/^no db/u)
      }
      expect((await post(server, '/api/auth/login', { username: 'alice', password: PASSWORD })).status).to.equal(503)
      expect((await server.api('/api/stream/list')).status).to.equal(401)
      await postgres.start()
      await waitFor(async () => (await statusOf(server, admin)) === 200, { what: 'the database to be back' })
      expect(await statusOf(server, token)).to.equal(200)
    })
  })
})

describe('docs/login.md', () => {
  it('has config that is valid, and a scrape config that is YAML', async () => {
    const blocks = await blocksOf('docs/login.md', 'yaml')
    const { folder } = await startServer()
    const file = path.join(folder, 'documented.yaml')
    await writeFile(file, blocks('enablelogin'))
    const { global, problems } = await Config.load({ file, env: {} })
    expect(problems).to.eql([])
    expect(global.admin.users.map(({ username, role }) => `${username} ${role}`)).to.eql(['alice admin', 'wall user'])
    expect(parse(blocks('scrape_configs'))).to.have.nested.property('scrape_configs[0].authorization.credentials_file')
  })
})
