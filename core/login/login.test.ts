import { expect } from 'chai'
import { SignJWT } from 'jose'
import { logLines } from '../host/testing/log-lines.ts'
import { rejectionOf } from '../../test/support/rejection.ts'
import { describeStores, openStore } from '../../test/support/stores.ts'
import { Login, type LoginConfig } from './login.ts'
import { LOGIN_MIGRATIONS, LOGIN_OWNER, type LoginTables } from './login-tables.ts'

const PASSWORD = 'correct horse'
const ALICE = { name: 'Alice', password: PASSWORD, role: 'admin' } as const
const IP = '192.0.2.1'
const OFF: LoginConfig = { enablelogin: false, users: [] }
const ON: LoginConfig = { enablelogin: true, users: [] }
/** The password in the line that invites the first admin. */
const INVITATION = /log in as "admin" with the password ([\w-]{32})/u

describeStores('login', (databases) => {
  let dsn: string
  beforeEach(async () => {
    dsn = await databases.create()
  })

  /** One process of those that share the database. */
  function process(first: LoginConfig = OFF) {
    const { store } = openStore(dsn)
    const { log, lines: said, text } = logLines()
    let config = first
    const login = new Login({ log, store, config: () => config })
    const tables = store.tables<LoginTables>(LOGIN_OWNER, LOGIN_MIGRATIONS)
    const configure = (changed: LoginConfig) => {
      config = changed
      return login.applyConfig()
    }
    const invitations = () => said.flatMap(({ msg }) => INVITATION.exec(msg)?.[1] ?? [])
    return { login, store, tables, configure, invitations, text }
  }

  const identified = async (login: Login, token: string) => (await login.identify(token)).name
  const refused = async (login: Login, token: string) => {
    expect(await rejectionOf(login.identify(token))).to.include({ statusCode: 401, message: 'invalid token' })
  }

  it('knows users by name and password, in every process', async () => {
    const [one, other] = [process(), process()]
    expect(await one.login.users.add(ALICE)).to.include({ name: 'alice', role: 'admin' })
    const { name, token, expiresS } = await other.login.logIn('ALICE', PASSWORD, IP)
    expect(name).to.equal('alice')
    expect(expiresS).to.be.closeTo(Date.now() / 1000 + 86_400, 120)
    expect(await one.login.identify(token)).to.include({ name: 'alice', role: 'admin', expiresS, newToken: undefined })
  })

  it('tells a wrong password from a wrong name by nothing', async () => {
    const { login } = process()
    await login.users.add(ALICE)
    const attempts = [
      ['alice', 'wrong horse'],
      ['bob', PASSWORD],
      ['not a name', PASSWORD],
      ['alice', ''],
    ] as const
    for (const [name, password] of attempts) {
      const error = await rejectionOf(login.logIn(name, password, IP))
      expect(error).to.include({ statusCode: 401, message: 'invalid credentials' })
    }
  })

  it('ends sessions with the password, the user and the logout, in every process', async () => {
    const [one, other] = [process(), process()]
    await one.login.users.add(ALICE)
    const logIn = async (password = PASSWORD) => (await one.login.logIn('alice', password, IP)).token
    const [first, second] = [await logIn(), await logIn()]
    await other.login.logOut(first)
    await refused(one.login, first)
    expect(await identified(one.login, second)).to.equal('alice')
    await other.login.users.update('alice', { password: 'another horse' }, true)
    await refused(one.login, second)
    const third = await logIn('another horse')
    await other.login.users.remove('alice', false)
    await refused(one.login, third)
    // Another person of the same name.
    await other.login.users.add(ALICE)
    await refused(one.login, third)
  })

  it('has as much work with the name of nobody: a hash, which is made a few at a time', async () => {
    const { login } = process()
    const attempts = Array.from({ length: 60 }, (_, index) =>
      login.logIn(`nobody-${index}`, PASSWORD, `192.0.2.${index}`),
    )
    const results = await Promise.allSettled(attempts)
    const codes = results.map((result) =>
      result.status === 'rejected' ? (result.reason as { code: string }).code : '',
    )
    expect([...new Set(codes)].toSorted()).to.eql(['LOGIN_LIMIT', 'UNAUTHENTICATED'])
  })

  it('takes the role of the user as it is now', async () => {
    const { login } = process()
    await login.users.add(ALICE)
    const { token } = await login.logIn('alice', PASSWORD, IP)
    await login.users.update('alice', { role: 'user' }, false)
    expect((await login.identify(token)).role).to.equal('user')
  })

  it('signs with one secret, whoever makes it', async () => {
    const processes = [process(), process(), process()]
    await processes[0]?.login.users.add(ALICE)
    const sessions = await Promise.all(processes.map(({ login }) => login.logIn('alice', PASSWORD, IP)))
    for (const { login } of processes) {
      for (const { token } of sessions) expect(await identified(login, token)).to.equal('alice')
    }
  })

  describe('with tokens that others made', () => {
    const SECRET = Buffer.alloc(32, 7)
    const forged = (alg: string, secret: Uint8Array = SECRET) =>
      new SignJWT({ stamp: 'x' })
        .setProtectedHeader({ alg })
        .setSubject('alice')
        .setJti('1')
        .setIssuer('sluice')
        .setExpirationTime('1h')
        .sign(secret)
    const unsigned = () => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${part({ alg: 'none' })}.${part({ sub: 'alice', jti: '1', iss: 'sluice', stamp: 'x', exp: 1e11 })}.`
    }

    it('lets nobody in', async () => {
      const { login } = process()
      await login.users.add(ALICE)
      const tokens = [
        await forged('HS256'),
        unsigned(),
        '',
        'x',
        'a.b.c',
        `sluice_${'x'.repeat(43)}`,
        'x'.repeat(99_999),
      ]
      for (const token of tokens) await refused(login, token)
    })

    it('takes one algorithm only, and no token without what it must say', async () => {
      const { login, tables } = process()
      await login.users.add(ALICE)
      await login.logIn('alice', PASSWORD, IP)
      const { value } = await tables.selectFrom('sluice_login_secret').select('value').executeTakeFirstOrThrow()
      const secret = Buffer.from(value, 'base64url')
      expect(secret.length).to.equal(32)
      const { stamp } = (await login.users.find('alice'))!
      const sign = (claims: object, alg = 'HS256') =>
        new SignJWT({ ...claims }).setProtectedHeader({ alg }).sign(secret)
      const claims = { stamp, sub: 'alice', jti: '1', iss: 'sluice', exp: Math.floor(Date.now() / 1000) + 3600 }
      expect(await identified(login, await sign(claims))).to.equal('alice')
      await refused(login, await sign(claims, 'HS512'))
      for (const missing of Object.keys(claims)) await refused(login, await sign({ ...claims, [missing]: undefined }))
      await refused(login, await sign({ ...claims, exp: 1 }))
    })

    it('gives another when theirs is about to expire, of the same session', async () => {
      const { login, tables } = process()
      await login.users.add(ALICE)
      const { token } = await login.logIn('alice', PASSWORD, IP)
      const { value } = await tables.selectFrom('sluice_login_secret').select('value').executeTakeFirstOrThrow()
      const { stamp } = (await login.users.find('alice'))!
      const expiring = (leftS: number) =>
        new SignJWT({ stamp, sub: 'alice', jti: 'mine', iss: 'sluice', exp: Math.floor(Date.now() / 1000) + leftS })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(Buffer.from(value, 'base64url'))
      expect((await login.identify(await expiring(2400))).newToken).to.equal(undefined)
      const old = await expiring(1200)
      const { newToken = '' } = await login.identify(old)
      expect(await login.identify(newToken)).to.include({ name: 'alice', session: 'mine', newToken: undefined })
      await login.logOut(old)
      await refused(login, newToken)
      expect(await identified(login, token)).to.equal('alice')
    })
  })

  describe('for programs', () => {
    it('has tokens, of which only a hash is stored, with a role and an end', async () => {
      const [{ login, tables }, other] = [process(), process()]
      const { token, id } = await login.tokens.add({ name: ' build ', role: 'admin' })
      expect(token).to.match(/^sluice_[\w-]{43}$/u)
      expect(JSON.stringify(await tables.selectFrom('sluice_api_token').selectAll().execute())).not.to.include(
        token.slice(7),
      )
      const { expiresS } = await other.login.identify(token)
      expect(await other.login.identify(token)).to.include({ name: 'token:build', role: 'admin' })
      expect(expiresS).to.equal(0)
      const ending = await login.tokens.add({ name: 'short', role: 'user', lifetimeMs: 60_000 })
      expect((await login.identify(ending.token)).expiresS).to.be.closeTo(Date.now() / 1000 + 60, 30)
      await tables
        .updateTable('sluice_api_token')
        .set({ expires_ms: Date.now() - 1 })
        .where('id', '=', ending.id)
        .execute()
      await refused(login, ending.token)
      await other.login.tokens.remove(id)
      await refused(login, token)
      expect(await rejectionOf(login.tokens.remove(id))).to.include({ statusCode: 404 })
    })

    it('notes when they were last used, once in a while', async () => {
      const { login, tables } = process()
      const { token } = await login.tokens.add({ name: 'build', role: 'user' })
      const used = async () => (await login.tokens.list())[0]?.usedMs ?? 0
      await login.identify(token)
      while ((await used()) === 0) await login.identify(token)
      const recentMs = Date.now() - 60_000
      await tables.updateTable('sluice_api_token').set({ used_ms: recentMs }).execute()
      for (let index = 0; index < 20; index++) await login.identify(token)
      expect(await used()).to.equal(recentMs)
      await tables
        .updateTable('sluice_api_token')
        .set({ used_ms: recentMs - 600_000 })
        .execute()
      while ((await used()) < recentMs) await login.identify(token)
    })
  })

  it('keeps the last admin, whoever removes others at the same time', async () => {
    const [one, other] = [process(), process()]
    const names = ['a-one', 'b-two', 'c-three']
    for (const name of names) await one.login.users.add({ ...ALICE, name })
    const removals = names.map((name, index) => [one, other][index % 2]!.login.users.remove(name, true))
    const failed = (await Promise.allSettled(removals)).filter(({ status }) => status === 'rejected')
    expect(failed.length).to.be.greaterThan(0)
    const [last, ...more] = await one.login.users.list()
    for (const { name } of more) await one.login.users.remove(name, true)
    expect(await rejectionOf(one.login.users.remove(last?.name ?? '', true))).to.include({ code: 'LAST_ADMIN' })
    const demotion = one.login.users.update(last?.name ?? '', { role: 'user' }, true)
    expect(await rejectionOf(demotion)).to.include({ code: 'LAST_ADMIN' })
    await one.login.users.remove(last?.name ?? '', false)
    expect(await one.login.users.list()).to.eql([])
  })

  it('has each name once', async () => {
    const [one, other] = [process(), process()]
    for (const { login } of [one, other]) await login.users.list()
    const results = await Promise.allSettled([
      one.login.users.add(ALICE),
      other.login.users.add({ ...ALICE, name: 'ALICE' }),
    ])
    const [refusal] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
    expect(refusal).to.include({ code: 'USER_EXISTS', statusCode: 409 })
    expect(await one.login.users.list()).to.have.length(1)
  })

  describe('with the users of the config', () => {
    const users = [
      { username: 'Alice', password: PASSWORD, role: 'admin' as const },
      { username: 'bob', password: PASSWORD, role: 'user' as const },
    ]

    it('puts them into the database, and ends no session of those who are as they were', async () => {
      const { login, invitations } = process({ enablelogin: true, users })
      await login.start()
      const { token } = await login.logIn('alice', PASSWORD, IP)
      const again = process({ enablelogin: true, users })
      await again.login.start()
      expect(await identified(again.login, token)).to.equal('alice')
      const roles = (await login.users.list()).map(({ name, role }) => `${name} ${role}`)
      expect(roles).to.eql(['alice admin', 'bob user'])
      expect([...invitations(), ...again.invitations()]).to.eql([])
    })

    it('takes what changed of them while it runs, and nothing while login is off', async () => {
      const { login, configure } = process({ enablelogin: false, users })
      await login.start()
      expect([login.isOn, await login.users.list()]).to.eql([false, []])
      await configure({ enablelogin: true, users })
      const { token } = await login.logIn('alice', PASSWORD, IP)
      await configure({ enablelogin: true, users: [{ username: 'alice', password: 'another horse', role: 'admin' }] })
      await refused(login, token)
      expect((await login.logIn('alice', 'another horse', IP)).name).to.equal('alice')
    })
  })

  describe('with no admin yet', () => {
    it('says how to become one: by a token in the log, once', async () => {
      const { login, invitations } = process(ON)
      await login.start()
      const [invitation = ''] = invitations()
      expect(invitations()).to.have.length(1)
      await rejectionOf(login.logIn('alice', invitation, IP))
      await rejectionOf(login.logIn('admin', 'not it at all', IP))
      const { token } = await login.logIn('admin', invitation, IP)
      expect(await login.identify(token)).to.include({ name: 'admin', role: 'admin' })
      await rejectionOf(login.logIn('admin', invitation, IP))
      await login.users.add({ ...ALICE, role: 'user' })
      expect(await identified(login, token)).to.equal('admin')
      await login.users.update('alice', { role: 'admin' }, true)
      await refused(login, token)
    })

    it('does not take it any more when there is an admin meanwhile', async () => {
      const [one, other] = [process(ON), process()]
      await one.login.start()
      const [invitation = ''] = one.invitations()
      await other.login.users.add(ALICE)
      await rejectionOf(one.login.logIn('admin', invitation, IP))
    })
  })

  it('has no secret in the log', async () => {
    const { login, tables, text } = process({
      enablelogin: true,
      users: [{ username: 'bob', password: 'bobs password', role: 'admin' }],
    })
    await login.start()
    const { token } = await login.logIn('bob', 'bobs password', IP)
    const api = await login.tokens.add({ name: 'x', role: 'user' })
    await login.identify(api.token)
    await rejectionOf(login.logIn('bobs password', 'bobs pass-word', IP))
    await rejectionOf(login.users.add({ ...ALICE, name: 'bob' }))
    await login.logOut(token)
    const [user] = await tables.selectFrom('sluice_user').selectAll().execute()
    const [secret] = await tables.selectFrom('sluice_login_secret').selectAll().execute()
    for (const part of ['bobs pass', token, api.token, user?.password, user?.stamp, secret?.value]) {
      expect(text()).not.to.include(part)
    }
    expect(text()).to.include('"user":"bob"')
  })

  it('lets nobody in while the database is away', async () => {
    const { login, store } = process(ON)
    await login.users.add(ALICE)
    const { token } = await login.logIn('alice', PASSWORD, IP)
    const { token: program } = await login.tokens.add({ name: 'x', role: 'admin' })
    await store.close()
    const works = [
      () => login.identify(token),
      () => login.identify(program),
      () => login.logIn('alice', PASSWORD, IP),
      () => login.logOut(token),
    ]
    for (const work of works) {
      expect(await rejectionOf(work())).to.include({ code: 'NO_DB', statusCode: 503 })
    }
  })
})
