import { expect } from 'chai'
import { HttpFixture } from '../testing/http-fixture.ts'
import { registerHome } from './home-routes.ts'

describe('home routes', () => {
  let fixture: HttpFixture
  before(async () => {
    fixture = new HttpFixture()
    registerHome(fixture.host.core)
    await fixture.host.start()
  })
  after(() => fixture.close())

  const cases = [
    { path: '/', type: 'text/html; charset=utf-8', has: '<title>Sluice</title>' },
    { path: '/assets/home.css', type: 'text/css; charset=utf-8', has: 'light-dark(' },
    { path: '/assets/home.js', type: 'text/javascript; charset=utf-8', has: '/api/stream/list' },
    { path: '/assets/icon.svg', type: 'image/svg+xml', has: '<svg' },
    { path: '/assets/mpegts.js', type: 'text/javascript; charset=utf-8', has: 'createPlayer' },
  ]
  for (const { path, type, has } of cases) {
    it(`gives ${path}, and once only as long as it is the same`, async () => {
      const answer = await fetch(fixture.url(path))
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('content-type')).to.equal(type)
      expect(answer.headers.get('cache-control')).to.equal('no-cache')
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(answer.headers.get('content-security-policy')).to.match(/^default-src 'none'; script-src 'self';/u)
      expect(await answer.text()).to.include(has)
      const etag = answer.headers.get('etag') ?? ''
      const again = await fetch(fixture.url(path), { headers: { 'if-none-match': etag } })
      expect([again.status, await again.text()]).to.eql([304, ''])
      const other = await fetch(fixture.url(path), { headers: { 'if-none-match': '"other"' } })
      expect(other.status).to.equal(200)
      await other.body?.cancel()
    })
  }

  it('needs nothing from elsewhere, and has all that the page names', async () => {
    const page = await (await fetch(fixture.url('/'))).text()
    const named = [...page.matchAll(/(?:src|href)="([^"]*)"/gu)].map(([, url = '']) => url)
    expect(named).to.include.members(['/assets/home.css', '/assets/home.js', '/assets/mpegts.js'])
    for (const url of named) {
      const answer = await fetch(fixture.url(url), { method: 'HEAD' })
      expect(answer.status, url).to.equal(200)
    }
  })
})
