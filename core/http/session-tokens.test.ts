import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import type { PluginHttp } from './plugin-http.ts'
import { SessionTokens, withoutTokens } from './session-tokens.ts'
import { HttpFixture } from './testing/http-fixture.ts'

describe('session tokens', () => {
  const tokens = new SessionTokens(randomBytes(32))

  it('are 37 characters that no address has to encode, each another', () => {
    const made = Array.from({ length: 100 }, () => tokens.create(1))
    for (const token of made) expect(token).to.match(/^~[\w-]{36}$/u)
    expect(new Set(made.map((token) => token.slice(7))).size).to.equal(100)
  })

  it('tell their owner, wherever they are in an address', () => {
    const token = tokens.create(0xfff00007)
    for (const url of [
      `/hls/live/a/${token}/video.m3u8`,
      `/hls/live/a/${token}-video-1.m4s?a=b`,
      `/whip/live/a?session=${token}&a=b`,
      `/hls/live/%7E${token.slice(1)}/video.m3u8`,
      `/hls/live/%7e${token.slice(1)}`,
      `/hls/~${'a'.repeat(36)}/${token}`,
      `/hls/${token}/${tokens.create(1)}`,
    ]) {
      expect(tokens.ownerIn(url), url).to.equal(0xfff00007)
    }
  })

  it('are those of this server alone, and as they were made', () => {
    const token = tokens.create(7)
    const changed = Array.from(
      token.slice(1),
      (char, at) => token.slice(0, at + 1) + (char === 'A' ? 'B' : 'A') + token.slice(at + 2),
    )
    for (const forged of [
      new SessionTokens(randomBytes(32)).create(7),
      ...changed,
      token.slice(0, -1),
      token.slice(1),
      '~',
      '',
    ]) {
      expect(tokens.ownerIn(`/hls/${forged}/video.m3u8`), forged).to.equal(undefined)
    }
  })

  it('are not shown by logs', () => {
    const [token, other] = [tokens.create(1), tokens.create(2)]
    expect(withoutTokens(`/a/${token}/${other}-1.ts`)).to.equal('/a/~…/~…-1.ts')
    expect(withoutTokens('/a/~b/c')).to.equal('/a/~b/c')
  })
})

describe('a request with the token of a session', () => {
  let fixture: HttpFixture
  beforeEach(async () => {
    fixture = new HttpFixture()
    await fixture.host.start()
  })
  afterEach(() => fixture.close())

  /** Starts a generation that answers everything with its label and the path it sees; the one before is retired. */
  async function take(label: string, former?: PluginHttp, options: { own?: boolean; mounts?: string[] } = {}) {
    const config = options.own === true ? { listenaddr: '127.0.0.2:0' } : {}
    const plugin = await fixture.plugin('whip', options.mounts ?? ['whip', 'w'], config)
    plugin.instance.all('/*', ({ url }) => `${label} ${url}`)
    const server = new WebSocketServer({ noServer: true })
    plugin.instance.server.on('upgrade', (request, socket, head) => {
      server.handleUpgrade(request, socket, head, (client) => client.send(label))
    })
    await plugin.activate()
    await former?.retire()
    return plugin
  }

  async function ask(path: string, init: RequestInit = {}, origin = fixture.url('')): Promise<string> {
    const response = await fetch(origin + path, init)
    return response.ok ? response.text() : String(response.status)
  }

  it('reaches the generation that made it, over any number of later ones, whatever its method', async () => {
    const first = await take('first')
    const token = first.sessionToken()
    const second = await take('second', first)
    const other = second.sessionToken()
    const third = await take('third', second)
    expect(await ask(`/whip/live/a/${token}`, { method: 'DELETE' })).to.equal(`first /live/a/${token}`)
    expect(await ask(`/w/live/a?session=${token}`, { method: 'PATCH' })).to.equal(`first /live/a?session=${token}`)
    expect(await ask(`/whip/${other}`)).to.equal(`second /${other}`)
    expect(await ask(`/whip/${third.sessionToken()}`)).to.include('third')
    expect(await ask('/whip/live/a')).to.equal('third /live/a')
  })

  it('reaches it by WebSocket, too', async () => {
    const first = await take('first')
    await take('second', first)
    const answers = [`/whip/chat?session=${first.sessionToken()}`, '/whip/chat'].map(async (path) => {
      const client = new WebSocket(fixture.url(path).replace('http', 'ws'))
      const [data] = (await once(client, 'message')) as Buffer[]
      client.terminate()
      return String(data)
    })
    expect(await Promise.all(answers)).to.eql(['first', 'second'])
  })

  it("reaches it by an address of the plugin's own", async () => {
    const first = await take('first', undefined, { own: true })
    const second = await take('second', first, { own: true })
    const [address] = second.addresses
    const origin = `http://127.0.0.2:${address?.port}`
    const token = first.sessionToken()
    expect(await ask(`/live/${token}`, {}, origin)).to.equal(`first /live/${token}`)
    expect(await ask(`/whip/live/${token}`, {}, origin)).to.equal(`first /live/${token}`)
    expect(await ask('/live/a', {}, origin)).to.equal('second /live/a')
  })

  it('reaches the newest when its generation takes none any more', async () => {
    const first = await take('first')
    const token = first.sessionToken()
    await take('second', first)
    first.leave()
    expect(await ask(`/whip/${token}`)).to.equal(`second /${token}`)
    await first.retire()
    expect(await ask(`/whip/${token}`)).to.equal(`second /${token}`)
    await first.dispose()
    expect(await ask(`/whip/${token}`)).to.equal(`second /${token}`)
  })

  it('reaches it while the plugin is being removed, and nobody else does', async () => {
    const only = await take('only')
    const token = only.sessionToken()
    await only.retire()
    expect(await ask(`/whip/${token}`)).to.equal(`only /${token}`)
    expect(await ask('/whip/live/a')).to.equal('404')
    await only.dispose()
    expect(await ask(`/whip/${token}`)).to.equal('404')
  })

  it('reaches no other plugin, nor one through a prefix that it has not', async () => {
    const first = await take('first')
    await take('second', first, { mounts: ['whip'] })
    const flv = await fixture.plugin('flv')
    flv.instance.get('/*', ({ url }) => `flv ${url}`)
    await flv.activate()
    const token = first.sessionToken()
    expect(await ask(`/flv/${token}`)).to.equal(`flv /${token}`)
    expect(await ask(`/w/${token}`)).to.equal(`first /${token}`)
    expect(await ask(`/other/${token}`)).to.equal('404')
  })

  it('that is not one of this server reaches the newest', async () => {
    const first = await take('first')
    await take('second', first)
    const forged = new SessionTokens(randomBytes(32)).create(first.id)
    expect(await ask(`/whip/${forged}`)).to.equal(`second /${forged}`)
  })

  it('is logged without it', async () => {
    const first = await take('first')
    const token = first.sessionToken()
    await ask(`/whip/live/${token}/video.m3u8`)
    const paths = fixture.lines.map(({ path }) => path).filter((path) => path !== undefined)
    expect(paths).to.eql(['/whip/live/~…/video.m3u8'])
    expect(JSON.stringify(fixture.lines)).not.to.include(token)
  })
})
