import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { fastify, type FastifyInstance } from 'fastify'
import fc from 'fast-check'
import { rounds } from '../../test/support/soak.ts'
import { servePageFolder, type PageFolder } from './page-folder.ts'

const SECRET = 'nobody may read this'
const SCRIPT = 'console.log("a built script")'
const PAGE =
  '<!doctype html><head><base href="./"><meta nonce="NONCE"><script src="./assets/main-C38fXH4l.js"></script>'
const FILES: Readonly<Record<string, string | Buffer>> = {
  'page/index.html': PAGE,
  'page/icon.svg': '<svg/>',
  'page/odd name.bin': 'odd',
  'page/.vite/manifest.json': SECRET,
  'page/assets/main-C38fXH4l.js': SCRIPT,
  'page/assets/main-C38fXH4l.js.br': brotliCompressSync(SCRIPT),
  'page/assets/main-C38fXH4l.js.gz': gzipSync(SCRIPT),
  'page/assets/font-D_4wQz0a.woff2': 'font',
  'page/assets/plain.css': 'body {}',
  'page/notes.gz': 'of no file',
  'secret.txt': SECRET,
  'page-of-others/secret.txt': SECRET,
}
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

type Answer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: Buffer }

/** The address as a plugin with these mounts sees it. */
function belowMount(url: string): string {
  const rest = url.replace(/^\/(?:admin|a\/b)(?=[/?]|$)/u, '')
  return rest.startsWith('/') ? rest : `/${rest}`
}

describe('servePageFolder', () => {
  let folder: string
  let apps: FastifyInstance[]

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-page-'))
    for (const [name, content] of Object.entries(FILES)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), content)
    }
    await symlink(path.join(folder, 'secret.txt'), path.join(folder, 'page', 'link.txt'))
    await symlink(path.join(folder, 'page-of-others'), path.join(folder, 'page', 'linked'))
  })

  after(() => rm(folder, { recursive: true }))

  beforeEach(() => {
    apps = []
  })

  afterEach(() => Promise.all(apps.map((app) => app.close())))

  /** Asks for paths as they are, which `fetch` would tidy up. */
  async function start(options: Partial<PageFolder> = {}) {
    const page = { url: '/', folder: path.join(folder, 'page'), ...options }
    const app = fastify({ rewriteUrl: ({ url = '/' }) => belowMount(url) })
    apps.push(app)
    app.get('/api/size', () => 'more exact')
    servePageFolder(app, page)
    const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    return async (url: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<Answer> => {
      const asked = request({ hostname, port, path: url, headers, method, agent: false }).end()
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) }
    }
  }

  it('serves files with their types, those with a hash in their name for good', async () => {
    const get = await start()
    const forGood = 'public, max-age=31536000, immutable'
    for (const [url, type, kept, text] of [
      ['/admin/icon.svg', 'image/svg+xml', 'no-cache', '<svg/>'],
      ['/admin/odd%20name.bin', 'application/octet-stream', 'no-cache', 'odd'],
      ['/admin/notes.gz', 'application/octet-stream', 'no-cache', 'of no file'],
      ['/admin/assets/plain.css', 'text/css; charset=utf-8', 'no-cache', 'body {}'],
      ['/admin/assets/font-D_4wQz0a.woff2', 'font/woff2', forGood, 'font'],
      ['/a/b/assets/main-C38fXH4l.js?v=1', 'text/javascript; charset=utf-8', forGood, SCRIPT],
    ] as const) {
      const { status, headers, body } = await get(url)
      expect([status, headers['content-type'], headers['cache-control']], url).to.eql([200, type, kept])
      expect(headers).to.include({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
      expect(String(body)).to.equal(text)
    }
  })

  it('answers HEAD as GET, without the body', async () => {
    const get = await start()
    for (const url of ['/admin/', '/admin/icon.svg', '/admin/streams/live']) {
      const { headers, body } = await get(url, BROWSER)
      const head = await get(url, BROWSER, 'HEAD')
      expect(head.status).to.equal(200)
      expect(head.body.length).to.equal(0)
      for (const name of ['etag', 'content-type', 'content-security-policy', 'cache-control'] as const) {
        expect(head.headers[name], name).to.equal(headers[name])
      }
      expect(Number(head.headers['content-length'])).to.equal(body.length)
    }
  })

  it('says by 304 that a browser has a file already', async () => {
    const get = await start()
    for (const url of ['/admin/', '/admin/icon.svg', '/admin/assets/main-C38fXH4l.js']) {
      const { etag = '' } = (await get(url)).headers
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(url, { 'if-none-match': known })
        expect([again.status, again.headers.etag, again.body.length], `${url} ${known}`).to.eql([304, etag, 0])
      }
      expect((await get(url, { 'if-none-match': '"other"' })).status).to.equal(200)
    }
  })

  it('sends what is compressed beside a file to those who take it', async () => {
    const get = await start()
    const etags = new Set<string | undefined>()
    for (const [accepted, coding, read] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
      ['GZIP', 'gzip', gunzipSync],
      ['br; q=0.0, identity', undefined, (body: Buffer) => body],
      ['brave', undefined, (body: Buffer) => body],
      ['', undefined, (body: Buffer) => body],
    ] as const) {
      const { headers, body } = await get('/admin/assets/main-C38fXH4l.js', { 'accept-encoding': accepted })
      expect(headers['content-encoding'], accepted).to.equal(coding)
      expect(headers.vary).to.include('accept-encoding')
      expect(String(read(body))).to.equal(SCRIPT)
      etags.add(headers.etag)
    }
    expect(etags.size).to.equal(3)
    expect((await get('/admin/icon.svg', { 'accept-encoding': 'br' })).headers.vary ?? '').not.to.include('encoding')
    expect((await get('/admin/assets/main-C38fXH4l.js.br')).status).to.equal(404)
  })

  it('gives the page to browsers that open any address of it, whose relative addresses lead back', async () => {
    const get = await start()
    for (const [url, base] of [
      ['/admin/', './'],
      ['/admin/streams', './'],
      ['/admin/streams/', '../'],
      ['/a/b/streams/live/cam.1?tab=2/3', '../../'],
      ['/admin/streams/live%2Fa', '../'],
    ] as const) {
      const { status, headers, body } = await get(url, BROWSER)
      expect([status, headers['content-type']], url).to.eql([200, 'text/html; charset=utf-8'])
      expect(String(body)).to.equal(PAGE.replace('"./"', `"${base}"`))
      const { pathname } = new URL(base, `http://a${url}`)
      expect(pathname).to.equal(url.startsWith('/a/b') ? '/a/b/' : '/admin/')
    }
  })

  it('has nothing in place of files that are not there', async () => {
    const get = await start()
    expect((await get('/admin/main.js')).status).to.equal(404)
    expect((await get('/admin/assets/main-OLD0fXH4l.js', BROWSER)).status).to.equal(404)
    expect((await get('/admin/streams', BROWSER, 'POST')).status).to.equal(404)
    expect(String((await get('/admin/api/size', BROWSER)).body)).to.equal('more exact')
  })

  it('leads to the address with a slash, to which relative ones belong', async () => {
    const get = await start()
    for (const [url, location] of [
      ['/admin', './admin/'],
      ['/a/b?c=d?e', './b/?c=d?e'],
    ] as const) {
      const { status, headers } = await get(url, BROWSER)
      expect([status, headers.location]).to.eql([302, location])
    }
    const below = await start({ url: '/panel' })
    expect((await below('/admin/panel', BROWSER)).headers.location).to.equal('./panel/')
    expect(String((await below('/admin/panel/x/y', BROWSER)).body)).to.include('<base href="../">')
    expect(String((await below('/admin/panel/icon.svg')).body)).to.equal('<svg/>')
    expect((await below('/admin/icon.svg')).status).to.equal(404)
  })

  it('lets the page load what is allowed besides', async () => {
    const policyOf = async (options: Partial<PageFolder>) =>
      (await (await start(options))('/admin/')).headers['content-security-policy']
    expect(await policyOf({})).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "media-src 'self' blob:; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
    )
    const allow = { 'img-src': ['data:'], 'worker-src': ['blob:'], 'frame-ancestors': ["'self'"] }
    expect(await policyOf({ allow }))
      .to.include("img-src 'self' data:;")
      .and.include("frame-ancestors 'self'; worker-src blob:")
  })

  it('gives each page a nonce of its own for styles, where that is wanted', async () => {
    const get = await start({ styleNonce: 'NONCE' })
    const nonces = []
    for (const url of ['/admin/', '/admin/', '/admin/streams/live']) {
      const { headers, body } = await get(url, { ...BROWSER, 'if-none-match': '*', 'accept-encoding': 'br' })
      const [, nonce] = /nonce="([^"]+)"/u.exec(String(body)) ?? []
      expect(headers['content-security-policy']).to.include(`style-src 'self' 'nonce-${nonce}';`)
      expect(headers.etag).to.equal(undefined)
      nonces.push(nonce)
    }
    expect(new Set(nonces).size).to.equal(3)
    expect(nonces).not.to.include('NONCE')
    expect((await get('/admin/icon.svg')).headers['content-security-policy']).not.to.include('nonce')
  })

  it('serves what was there when it began', async () => {
    const changing = path.join(folder, 'changing')
    await mkdir(changing)
    await writeFile(path.join(changing, 'index.html'), 'before')
    const get = await start({ folder: changing })
    await writeFile(path.join(changing, 'index.html'), 'after')
    expect(String((await get('/admin/')).body)).to.equal('before')
  })

  it('can not begin without a page', async () => {
    const error: unknown = await start({ folder: path.join(folder, 'page', 'assets') }).catch((why: unknown) => why)
    expect(error).to.have.property('message').that.includes('there is no index.html in')
  })

  it('leads nobody out of the folder', async () => {
    const get = await start()
    const contents = new Set(Object.values(FILES).map((content) => content.toString('latin1')))
    contents.delete(SECRET)
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', '%2e%2e', '%2E.', '..%2f', '%2f', '%5c', '..\\', '%00', '%c0%ae%c0%ae', '....'),
      fc.constantFrom('secret.txt', 'page-of-others', 'page', 'assets', '.vite', 'manifest.json', 'link.txt', 'linked'),
      fc.constantFrom(
        'index.html',
        'icon.svg',
        'constructor',
        '__proto__',
        'etc',
        'passwd',
        encodeURIComponent(folder),
      ),
    )
    const url = fc.array(part, { maxLength: 7 }).map((parts) => `/admin/${parts.join('/')}`)
    await fc.assert(
      fc.asyncProperty(url, fc.constantFrom({}, BROWSER), async (url, headers) => {
        const { status, body } = await get(url, headers)
        expect(body.includes(SECRET)).to.equal(false)
        const isOfFolder = contents.has(body.toString('latin1')) || body.includes('<base href="../')
        expect([301, 302, 400, 404].includes(status) || (status === 200 && isOfFolder), `${status} ${url}`).to.equal(
          true,
        )
      }),
      {
        numRuns: rounds(500),
        examples: [
          ['/admin/../secret.txt', {}],
          ['/admin/%2e%2e/secret.txt', {}],
          ['/admin/..%2fsecret.txt', {}],
          ['/admin/..%5csecret.txt', {}],
          ['/admin//etc/passwd', {}],
          ['/admin/link.txt', {}],
          ['/admin/linked/secret.txt', {}],
          ['/admin/.vite/manifest.json', {}],
        ],
      },
    )
  })
})
