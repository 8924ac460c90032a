import { expect } from 'chai'
import { addHealthRoutes } from './health.ts'
import { HttpFixture } from './testing/http-fixture.ts'

describe('health', () => {
  it('is ready once nothing is missing, and healthy all the time', async () => {
    const fixture = new HttpFixture()
    const missing = new Set(['rtmp'])
    addHealthRoutes(fixture.host.core, () => [...missing])
    await fixture.host.start()
    const ask = async (path: string): Promise<unknown> => {
      const answer = await fetch(fixture.url(path))
      return [answer.status, await answer.json()]
    }
    expect(await ask('/healthz')).to.deep.equal([200, { status: 'ok' }])
    expect(await ask('/readyz')).to.deep.equal([503, { status: 'not ready', missing: ['rtmp'] }])
    missing.clear()
    expect(await ask('/readyz')).to.deep.equal([200, { status: 'ready' }])
    await fixture.close()
  })
})
