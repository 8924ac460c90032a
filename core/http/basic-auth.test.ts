import { expect } from 'chai'
import { HttpFixture } from './testing/http-fixture.ts'

const BASIC = { username: 'viewer', password: 'correct:horsé' }
const header = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const RIGHT = header('viewer:correct:horsé')
const FOREIGN = { origin: 'https://page.example' }

describe('HTTP Basic', () => {
  let fixture: HttpFixture
  beforeEach(async () => {
    fixture = new HttpFixture({ upgradeTimeoutMs: 50 }, BASIC)
    fixture.host.core.get('/healthz', () => 'healthy')
    fixture.host.core.get('/readyz', () => 'ready')
    fixture.host.admin.get('/api/a', () => 'administration')
    await fixture.host.start()
    const plugin = await fixture.plugin('media', ['media'], BASIC)
    const config = { access: 'public' } as const
    plugin.instance.get('/a', { config }, () => 'media')
    plugin.instance.post('/a', { config }, () => 'taken')
    plugin.instance.server.on('upgrade', (_request, socket) => socket.end('welcome'))
    await plugin.activate()
  })
  afterEach(() => fixture.close())

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(fixture.url(path), { method, headers })
  const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
  const upgrade = (lines: Record<string, string>) => {
    const all = { Host: 'localhost', Connection: 'Upgrade', Upgrade: 'websocket', ...lines }
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    return fixture.exchange(`GET /media/a HTTP/1.1\r\n${head.join('')}\r\n`)
  }

  it('is asked for before everything, but the health of the process', async () => {
    for (const path of ['/media/a', '/api/a', '/readyz', '/nothing', '/media/nothing']) {
      const refused = await ask(path)
      expect([refused.status, await refused.json()], path).to.eql([
        401,
        { code: 16, message: 'name and password are needed (HTTP Basic)', details: [] },
      ])
      expect(refused.headers.get('www-authenticate')).to.equal('Basic realm="sluice", charset="UTF-8"')
      expect(await status(path, RIGHT), path).to.be.oneOf(path.endsWith('nothing') ? [404] : [200])
    }
    expect(await status('/healthz')).to.equal(200)
  })

  it('is name and password, to the letter', async () => {
    const wrong = ['viewer:', ':correct:horsé', 'viewer', 'Viewer:correct:horsé', 'viewer:correct:horse', '']
    for (const text of wrong) expect(await status('/media/a', header(text)), text).to.equal(401)
    for (const authorization of [
      'Basic',
      'Basic !',
      `Bearer ${Buffer.from('viewer:correct:horsé').toString('base64')}`,
    ]) {
      expect(await status('/media/a', { authorization }), authorization).to.equal(401)
    }
  })

  it('stands before WebSockets', async () => {
    expect(await upgrade({})).to.match(/^HTTP\/1\.1 401 /u)
    expect(await upgrade(RIGHT)).to.equal('welcome')
  })

  it('lets browsers ask what they may send', async () => {
    const preflight = await ask('/media/a', { ...FOREIGN, 'access-control-request-method': 'POST' }, 'OPTIONS')
    expect([preflight.status, await preflight.text()]).to.eql([200, ''])
  })

  it('lets pages of other sites change nothing, for whom browsers send it by themselves', async () => {
    const own = { origin: `http://127.0.0.1:${fixture.port}` }
    const pages = [
      { headers: {}, expected: 200 },
      { headers: own, expected: 200 },
      { headers: { ...own, 'sec-fetch-site': 'same-origin' }, expected: 200 },
      { headers: FOREIGN, expected: 403 },
      { headers: { origin: 'null' }, expected: 403 },
      { headers: { origin: 'http://127.0.0.1:1' }, expected: 403 },
      { headers: { 'sec-fetch-site': 'cross-site' }, expected: 403 },
      { headers: { 'sec-fetch-site': 'same-site' }, expected: 403 },
    ]
    for (const { headers, expected } of pages) {
      expect(await status('/media/a', { ...RIGHT, ...headers }, 'POST'), JSON.stringify(headers)).to.equal(expected)
      expect(await status('/media/a', { ...RIGHT, ...headers }), JSON.stringify(headers)).to.equal(200)
    }
  })

  it('is taken over from a changed config', async () => {
    await fixture.host.applyConfig(fixture.config({ username: '', password: 'other' }))
    expect(await status('/readyz', RIGHT)).to.equal(401)
    expect(await status('/readyz', header(':other'))).to.equal(200)
    await fixture.host.applyConfig(fixture.config({ username: '', password: '' }))
    expect(await status('/readyz')).to.equal(200)
  })

  it('is in no line of the log', async () => {
    await status('/media/a', RIGHT)
    await status('/media/a', header('viewer:wrong'))
    const log = JSON.stringify(fixture.lines)
    for (const text of ['horsé', 'wrong', RIGHT.authorization.slice(6)]) expect(log).not.to.include(text)
  })
})
