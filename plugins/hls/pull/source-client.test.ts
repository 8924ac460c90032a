import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { directDialer } from 'sluice/sdk/testing'
import { FileServer } from '../../../test/support/file-server.ts'
import { SourceClient } from './source-client.ts'
import { SourceError } from './source-error.ts'

const LIMITS = { maxSizeBytes: 1000, timeoutMs: 5000 }
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing',
    (error: unknown) => (error instanceof SourceError ? error.message : String(error)),
  )

describe('SourceClient', () => {
  let folder: string
  let web: FileServer
  let other: FileServer

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    await writeFile(path.join(folder, 'file'), '0123456789')
  })
  after(() => rm(folder, { recursive: true }))
  beforeEach(async () => {
    web = await FileServer.start(folder)
    other = await FileServer.start(folder)
  })
  afterEach(() => {
    web.close()
    other.close()
  })

  function client(url: string, header: Record<string, readonly string[]> = {}, signal = new AbortController().signal) {
    return new SourceClient({ url, header, dial: directDialer, signal })
  }

  it('fetches what an address leads to, and tells where that was', async () => {
    web.redirects.set('/old', '/moved')
    web.redirects.set('/moved', web.url('file?x=1'))
    const { bytes, url } = await client(web.url('')).fetch({ uri: 'old', base: web.url(''), ...LIMITS })
    expect([bytes.toString(), url]).to.eql(['0123456789', web.url('file?x=1')])
  })

  it('takes a part of a file, from a server that knows no parts, too', async () => {
    const range = { offset: 2, sizeBytes: 3 }
    const { bytes } = await client(web.url('')).fetch({ uri: 'file', base: web.url(''), range, ...LIMITS })
    expect(bytes.toString()).to.equal('234')
    expect(web.requests[0]?.headers.range).to.equal('bytes=2-4')
  })

  it('keeps what lets it in from other servers', async () => {
    const header = { cookie: ['c=1'], 'x-key': ['k'] }
    const source = client(web.url('', 'user:p%40ss@'), header)
    web.asksForUser = true
    web.redirects.set('/away', other.url('file'))
    await source.fetch({ uri: 'away', base: source.url, ...LIMITS })
    await source.fetch({ uri: other.url('file'), base: source.url, ...LIMITS })
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`
    expect(web.requests.at(-1)?.headers).to.include({ authorization, cookie: 'c=1', 'x-key': 'k' })
    for (const { headers } of other.requests) {
      expect(headers).to.include({ 'x-key': 'k' })
      expect(headers).not.to.have.any.keys('authorization', 'cookie')
    }
    expect(other.requests).to.have.length(2)
  })

  it('goes nowhere but to HTTP servers', async () => {
    for (const uri of ['file:///etc/passwd', 'data:text/plain,x', 'ftp://host/a', 'http://']) {
      const message = await messageOf(client(web.url('')).fetch({ uri, base: web.url(''), ...LIMITS }))
      expect(message).to.match(/no http or https address/u)
    }
    web.redirects.set('/out', 'file:///etc/passwd')
    const message = await messageOf(client(web.url('')).fetch({ uri: 'out', base: web.url(''), ...LIMITS }))
    expect(message).to.match(/redirect leads to what is no http/u)
    expect(() => client('file:///etc/passwd')).to.throw(SourceError)
  })

  it('has limits', async () => {
    web.redirects.set('/round', '/round')
    const fetch = (uri: string, limits = LIMITS) => client(web.url('')).fetch({ uri, base: web.url(''), ...limits })
    expect(await messageOf(fetch('round'))).to.match(/more than 8 redirects/u)
    expect(await messageOf(fetch('file', { ...LIMITS, maxSizeBytes: 9 }))).to.match(/more than 9 bytes/u)
    expect(await messageOf(fetch('none?key=s3cret'))).to.match(/answered 404 for .*key=\*{6}$/u)
  })

  it('says what the network says, and nothing secret', async () => {
    web.down = true
    const source = client(web.url('', 'user:pa55@'))
    const message = await messageOf(source.fetch({ uri: 'file?key=s3cret', base: source.url, ...LIMITS }))
    expect(message).to.match(/^can't fetch http:\/\/127\.0\.0\.1:\d+\/file\?key=\*{6}: \w+/u)
    expect(message).not.to.match(/pa55|s3cret/u)
    expect(() => client(web.url(''), { good: ['h34der\n'], 'bad name': ['x'] })).to.throw(/header "bad name"/u)
  })
})
