import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { startBanner } from './start-banner.ts'

const EVERYWHERE = { host: '::', port: 8080, tls: false }
const RTMP = { pushAddr: ['rtmp://{hostName}:2935/{streamPath}', 'rtmps://{hostName}/{streamPath}'], playAddr: ['x'] }

/** The lines with an address. */
function linesOf(banner: Partial<Parameters<typeof startBanner>[0]>): string[] {
  const text = startBanner({ version: '1.2.3', http: [EVERYWHERE], endpoints: [], localAddress: undefined, ...banner })
  return stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.includes('➜'))
}

describe('startBanner', () => {
  it('shows the page, where to publish, and the page for other machines', () => {
    expect(linesOf({ endpoints: [{ playAddr: ['x'] }, RTMP], localAddress: '192.0.2.2' })).to.eql([
      '  ➜ page     http://localhost:8080/',
      '  ➜ publish  rtmp://localhost:2935/live/test',
      '  ➜ network  http://192.0.2.2:8080/',
    ])
  })

  it('shows no more than can be reached', () => {
    expect(linesOf({ http: [{ host: '::1', port: 443, tls: true }], localAddress: '192.0.2.2' })).to.eql([
      '  ➜ page     https://[::1]:443/',
    ])
    expect(linesOf({ http: [] })).to.eql([])
  })
})
