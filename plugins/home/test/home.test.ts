import { expect } from 'chai'
import type { ServerInfo } from 'sluice/sdk'
import { createFakeHost, sessionInit, type FakeHost } from 'sluice/sdk/testing'
import home from '../index.ts'

const SERVER: ServerInfo = {
  startTime: new Date(0),
  endpoints: () => [
    {
      plugin: 'flv',
      pushAddr: [],
      pullAddr: [],
      downloadAddr: [],
      playAddr: ['http://{hostName}:8080/flv/{streamPath}.flv', 'ws://{hostName}:8080/flv/{streamPath}.flv'],
    },
    {
      plugin: 'rtmp',
      pullAddr: [],
      downloadAddr: [],
      pushAddr: ['rtmp://{hostName}:1936/{streamPath}'],
      playAddr: ['rtmp://{hostName}:1936/{streamPath}'],
    },
  ],
  listeners: () => [],
  mayAdminister: ({ headers }) => headers['x-admin'] === 'yes',
}

type View = {
  readonly administration: boolean
  readonly console: string
  readonly playNeedsKey: boolean
  readonly streamPath: string
}

describe('home', () => {
  let host: FakeHost<unknown>
  beforeEach(async () => {
    host = await createFakeHost(home, { services: { server: SERVER } })
  })
  afterEach(() => host.dispose())

  async function view(headers: Record<string, string> = {}): Promise<View> {
    const answer = await fetch(`${host.http.origin}/home/addresses`, { headers })
    expect([answer.status, answer.headers.get('cache-control')]).to.eql([200, 'no-store'])
    return (await answer.json()) as View
  }

  const files = [
    { path: '/', type: 'text/html; charset=utf-8', has: '<base href="./" />' },
    { path: '/home/', type: 'text/html; charset=utf-8', has: '<base href="../" />' },
    { path: '/home/home.css', type: 'text/css; charset=utf-8', has: 'light-dark(' },
    { path: '/home/home.js', type: 'text/javascript; charset=utf-8', has: 'home/addresses' },
    { path: '/home/icon.svg', type: 'image/svg+xml', has: '<svg' },
    { path: '/home/mpegts.js', type: 'text/javascript; charset=utf-8', has: 'createPlayer' },
  ]
  for (const { path, type, has } of files) {
    it(`gives ${path}, and once only as long as it is the same`, async () => {
      const url = `${host.http.origin}${path}`
      const answer = await fetch(url)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('content-type')).to.equal(type)
      expect(answer.headers.get('cache-control')).to.equal('no-cache')
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(answer.headers.get('content-security-policy')).to.match(/^default-src 'none'; script-src 'self';/u)
      expect(await answer.text()).to.include(has)
      const etag = answer.headers.get('etag') ?? ''
      const again = await fetch(url, { headers: { 'if-none-match': etag } })
      expect([again.status, await again.text()]).to.eql([304, ''])
      const other = await fetch(url, { headers: { 'if-none-match': '"other"' } })
      expect(other.status).to.equal(200)
      await other.body?.cancel()
    })
  }

  for (const place of ['/', '/home/']) {
    it(`has all that the page names at ${place}, at addresses relative to the server's root`, async () => {
      const named: string[] = []
      const root = `${host.http.origin}/`
      const pending = [{ url: host.http.origin + place, base: root, pattern: /(?:src|href)="([^".][^"]*)"/gu }]
      for (const { url, base, pattern } of pending) {
        const answer = await fetch(url)
        expect(answer.status, url).to.equal(200)
        for (const [, address = ''] of (await answer.text()).matchAll(pattern)) {
          named.push(address)
          const found = new URL(address, base).href
          const script = address.endsWith('.js') && address !== 'home/mpegts.js'
          pending.push({ url: found, base: found, pattern: script ? /from '([^']*)'/gu : /(?!)/gu })
        }
      }
      expect(named).to.include.members(['home/home.css', 'home/home.js', 'home/mpegts.js', './player.js'])
      expect(named.filter((address) => /^(?:\/|\w+:)/u.test(address))).to.eql([])
    })
  }

  it('leads from /home to the address with a slash, below the path that a proxy has it at, too', async () => {
    for (const path of ['/home', '/home?x=1']) {
      const answer = await fetch(`${host.http.origin}${path}`, { redirect: 'manual' })
      expect(answer.status).to.equal(302)
      const location = answer.headers.get('location') ?? ''
      expect(new URL(location, `https://example.com/tv${path}`).href).to.equal('https://example.com/tv/home/')
    }
  })

  const BROWSER = { accept: 'text/html' }
  const ADMINISTRATOR = { 'x-admin': 'yes' }

  describe('beside a console', () => {
    beforeEach(async () => {
      await host.dispose()
      host = await createFakeHost(home, { services: { server: SERVER, console: { url: '/admin/' } } })
    })

    it('leads the browsers of administrators from / to it, below the path of a proxy, too', async () => {
      const headers = { ...BROWSER, ...ADMINISTRATOR }
      const answer = await fetch(`${host.http.origin}/`, { headers, redirect: 'manual' })
      expect(answer.status).to.equal(302)
      const location = answer.headers.get('location') ?? ''
      expect(new URL(location, 'https://example.com/tv/').href).to.equal('https://example.com/tv/admin/')
    })

    it('gives the page to other visitors and to programs, and to everybody at /home/', async () => {
      for (const [path, headers] of [
        ['/', BROWSER],
        ['/', ADMINISTRATOR],
        ['/home/', { ...BROWSER, ...ADMINISTRATOR }],
      ] as const) {
        const answer = await fetch(`${host.http.origin}${path}`, { headers, redirect: 'manual' })
        expect(answer.status, path).to.equal(200)
        expect(await answer.text()).to.include('<title>Sluice</title>')
      }
    })

    it('tells administrators where it is', async () => {
      expect(await view(ADMINISTRATOR)).to.include({ console: 'admin/' })
      expect(await view()).to.include({ console: '' })
    })
  })

  it('gives the page to all who ask for / while there is no console', async () => {
    const headers = { ...BROWSER, ...ADMINISTRATOR }
    expect((await fetch(`${host.http.origin}/`, { headers, redirect: 'manual' })).status).to.equal(200)
    expect(await view(ADMINISTRATOR)).to.include({ administration: true, console: '' })
  })

  it('tells the addresses of all plugins: relative ones where the page is, templates for the others', async () => {
    const rtmp = { plugin: 'rtmp', scheme: 'rtmp', address: 'rtmp://{hostName}:1936/{streamPath}' }
    expect(await view()).to.deep.include({
      publish: [rtmp],
      play: [
        { plugin: 'flv', scheme: 'http', address: 'flv/{streamPath}.flv' },
        { plugin: 'flv', scheme: 'ws', address: 'flv/{streamPath}.flv' },
        rtmp,
      ],
    })
  })

  it('tells who may ask the administration', async () => {
    expect(await view()).to.include({ administration: false })
    expect(await view({ 'x-admin': 'yes' })).to.include({ administration: true })
  })

  it('names its stream while that is published, and no other', async () => {
    host.configure({ streampath: 'live/front' })
    await host.ctx.streams.publish(sessionInit('live/other'))
    expect(await view()).to.include({ streamPath: '' })
    const publisher = await host.ctx.streams.publish(sessionInit('live/front'))
    expect(await view()).to.include({ streamPath: 'live/front', playNeedsKey: false })
    publisher.close()
    expect(await view()).to.include({ streamPath: '' })
  })

  const guarded = [
    { gate: 'the signature', config: { enableauth: true, subscribe: { key: 'k' } } },
    { gate: 'the signed policy', config: { signed_policy: { enable: true, secret: 's' } } },
  ]
  for (const { gate, config } of guarded) {
    it(`has the page play nothing by itself where ${gate} asks viewers for a key`, async () => {
      await host.ctx.streams.publish(sessionInit('live/demo'))
      expect(await view()).to.include({ streamPath: 'live/demo' })
      host.configure(config)
      expect(await view()).to.include({ streamPath: '', playNeedsKey: true })
    })
  }

  it('plays by itself where only publishers need a key', async () => {
    await host.ctx.streams.publish(sessionInit('live/demo'))
    host.configure({
      enableauth: true,
      publish: { key: 'k' },
      signed_policy: { enable: true, secret: 's', actions: ['publish'] },
    })
    expect(await view()).to.include({ streamPath: 'live/demo', playNeedsKey: false })
  })
})
