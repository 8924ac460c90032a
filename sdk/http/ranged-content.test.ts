import { createServer } from 'node:http'
import { expect } from 'chai'
import { fastify, type FastifyInstance } from 'fastify'
import type { ByteRange } from './byte-range.ts'
import { sendRanged, type RangedContent } from './ranged-content.ts'

const BODY = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251))
const MODIFIED = 'Thu, 26 Nov 2026 01:00:00 GMT'
const PIECE_SIZE_BYTES = 64

describe('sendRanged', () => {
  let app: FastifyInstance
  let origin: string
  let content: RangedContent
  const reads: ByteRange[] = []

  before(async () => {
    app = fastify({ serverFactory: (handler) => createServer(handler) })
    // One route for both methods, and one of which fastify makes that for HEAD.
    app.route({ method: ['GET', 'HEAD'], url: '/both', handler: (_, reply) => sendRanged(reply, content) })
    app.get('/film', (_, reply) => sendRanged(reply, content, { fileName: 'ein Öl.mp4' }))
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  after(() => app.close())
  beforeEach(() => {
    reads.length = 0
    content = contentOf({ etag: '"a"', modifiedMs: Date.parse(MODIFIED) })
  })

  function contentOf(known: Pick<RangedContent, 'etag' | 'modifiedMs'>, body = BODY): RangedContent {
    return {
      type: 'video/mp4',
      sizeBytes: body.length,
      ...known,
      async *read(range) {
        reads.push(range)
        for (let at = range.first; at <= range.last; at += PIECE_SIZE_BYTES) {
          yield body.subarray(at, Math.min(range.last + 1, at + PIECE_SIZE_BYTES))
        }
      },
    }
  }

  async function ask(headers: Record<string, string> = {}, method = 'GET', path = '/film') {
    const answer = await fetch(`${origin}${path}`, { headers, method })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const header = (name: string) => answer.headers.get(name)
    return { status: answer.status, bytes, header }
  }

  it('answers with the whole, and with what it says of it', async () => {
    const { status, bytes, header } = await ask()
    expect(status).to.equal(200)
    expect(bytes.equals(BODY)).to.equal(true)
    const names = ['content-length', 'content-type', 'accept-ranges', 'etag', 'last-modified', 'content-range']
    expect(names.map(header)).to.eql(['1000', 'video/mp4', 'bytes', '"a"', MODIFIED, null])
    expect(header('content-disposition')).to.equal(
      `attachment; filename="ein _l.mp4"; filename*=UTF-8''ein%20%C3%96l.mp4`,
    )
    content = contentOf({})
    const other = await ask({}, 'GET', '/both')
    expect(['etag', 'last-modified', 'content-disposition'].map(other.header)).to.eql([null, null, null])
  })

  for (const [range, first, last] of [
    ['bytes=0-0', 0, 0],
    ['bytes=100-299', 100, 299],
    ['bytes=900-', 900, 999],
    ['bytes=-10', 990, 999],
  ] as const) {
    it(`answers ${range} with that part, and reads no other`, async () => {
      const { status, bytes, header } = await ask({ range })
      expect(status).to.equal(206)
      expect(bytes.equals(BODY.subarray(first, last + 1))).to.equal(true)
      expect(header('content-range')).to.equal(`bytes ${first}-${last}/1000`)
      expect(header('content-length')).to.equal(String(last + 1 - first))
      expect(reads).to.eql([{ first, last }])
    })
  }

  it('answers several parts with the whole, and none of it with 416', async () => {
    expect((await ask({ range: 'bytes=0-1,5-6' })).status).to.equal(200)
    const { status, bytes, header } = await ask({ range: 'bytes=1000-' })
    expect([status, bytes.length, header('content-range')]).to.eql([416, 0, 'bytes */1000'])
    expect(header('content-disposition')).to.equal(null)
  })

  it('answers HEAD with the size of the whole, and reads nothing', async () => {
    for (const path of ['/film', '/both']) {
      const { status, bytes, header } = await ask({ range: 'bytes=0-9' }, 'HEAD', path)
      expect([status, bytes.length]).to.eql([200, 0])
      expect(['content-length', 'accept-ranges', 'content-range'].map(header)).to.eql(['1000', 'bytes', null])
    }
    expect(reads).to.eql([])
  })

  it('gives a part of what the client knows alone', async () => {
    const statusOf = async (ifRange: string) => (await ask({ range: 'bytes=0-9', 'if-range': ifRange })).status
    expect(await statusOf('"a"')).to.equal(206)
    expect(await statusOf('"b"')).to.equal(200)
    expect(await statusOf('W/"a"')).to.equal(200)
    expect(await statusOf(MODIFIED)).to.equal(206)
    expect(await statusOf('Thu, 26 Nov 2026 01:00:01 GMT')).to.equal(200)
    content = contentOf({ etag: 'W/"a"' })
    expect(await statusOf('W/"a"')).to.equal(200)
    content = contentOf({})
    expect(await statusOf('undefined')).to.equal(200)
  })

  it('answers with an empty body where there is nothing', async () => {
    content = contentOf({}, Buffer.alloc(0))
    const { status, bytes, header } = await ask()
    expect([status, bytes.length, header('content-length')]).to.eql([200, 0, '0'])
    expect((await ask({ range: 'bytes=0-' })).header('content-range')).to.equal('bytes */0')
  })
})
