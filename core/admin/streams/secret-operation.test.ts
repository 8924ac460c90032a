import { expect } from 'chai'
import type { InjectOptions } from 'fastify'
import { effectiveConfig, LogRecords } from 'sluice/sdk/testing'
import { askOperations } from '../../http/testing/ask-operations.ts'
import { addSecretOperation, DEFAULT_EXPIRY_SECONDS } from './secret-operation.ts'

// printf '%s' 'pubkeylive/test6f000000' | md5sum
const PUBLISH_SECRET = 'e391c610bf48f98b6889a630b4f7bfc9'
// printf '%s' 'subkeylive/test6F000000' | md5sum
const SUBSCRIBE_SECRET = '87930b4be748e16b20ea45daeed7007b'
// printf '%s' 'rtmpkeylive/test6f000000' | md5sum
const RTMP_SECRET = 'c8143f68f88e89de41a8ae07bf5a9041'

const SECTIONS = new Map(
  Object.entries({
    global: { publish: { key: 'pubkey' }, subscribe: { key: 'subkey' } },
    rtmp: { publish: { key: 'rtmpkey' } },
  }).map(([name, written]) => [name, { name, config: effectiveConfig({}, written) }]),
)

async function askFor(request: InjectOptions) {
  const [answer] = await askOperations(
    new LogRecords('core'),
    (operations) => addSecretOperation(operations, (section) => SECTIONS.get(section.toLowerCase())),
    [request],
  )
  const { statusCode: status = 0, body: text = '{}' } = answer ?? {}
  return { status, text }
}

async function ask(query: string, request: Pick<InjectOptions, 'remoteAddress' | 'headers'> = {}) {
  const { status, text } = await askFor({ url: `/v6/api/streams/secret?${query}`, ...request })
  return { status, body: JSON.parse(text) as Record<string, unknown>, text }
}

describe('GET /v6/api/streams/secret', () => {
  it('answers with exactly the five fields', async () => {
    expect(await ask('stream_path=live/test&expire=6f000000')).to.deep.include({
      status: 200,
      body: {
        secret_type: 'publish',
        plugin: 'global',
        stream_path: 'live/test',
        expire: '6f000000',
        secret: PUBLISH_SECRET,
      },
    })
  })

  it('signs for subscribing, over the expiry as sent', async () => {
    expect((await ask('stream_path=live%2Ftest&type=subscribe&expire=6F000000')).body).to.eql({
      secret_type: 'subscribe',
      plugin: 'global',
      stream_path: 'live/test',
      expire: '6F000000',
      secret: SUBSCRIBE_SECRET,
    })
  })

  it('signs with the key of a plugin', async () => {
    expect((await ask('stream_path=live/test&plugin=rtmp&expire=6f000000')).body).to.deep.include({
      plugin: 'rtmp',
      secret: RTMP_SECRET,
    })
  })

  it('signs the path that sessions have, without slashes around it, and says so', async () => {
    const { body } = await ask('stream_path=/live/test/&expire=6f000000')
    expect(body).to.deep.include({ stream_path: 'live/test', secret: PUBLISH_SECRET })
  })

  it('names the plugin as it is called, however it was asked for', async () => {
    const { body } = await ask('stream_path=live/test&plugin=RTMP&expire=6f000000')
    expect(body).to.deep.include({ plugin: 'rtmp', secret: RTMP_SECRET })
    expect((await ask('stream_path=live/test&plugin=RTMP&type=subscribe')).body['message']).to.match(/^rtmp has no/u)
  })

  it('lets it expire in half an hour unless told otherwise; without a value is not told', async () => {
    const { body } = await ask('stream_path=live/test&type=&expire=&plugin=')
    const seconds = Number.parseInt(String(body['expire']), 16)
    expect(body).to.deep.include({ secret_type: 'publish', plugin: 'global' })
    expect(body['expire']).to.match(/^[0-9a-f]{8}$/u)
    expect(seconds - Date.now() / 1000).to.be.within(DEFAULT_EXPIRY_SECONDS - 5, DEFAULT_EXPIRY_SECONDS + 1)
    expect(DEFAULT_EXPIRY_SECONDS).to.equal(1800)
  })

  const refusals: readonly (readonly [string, number, string])[] = [
    ['', 400, 'stream_path is missing'],
    ['stream_path=', 400, 'stream_path is missing'],
    ['stream_path=live/../a', 400, 'the stream path has an empty, "." or ".." part'],
    ['stream_path=live/a%3Fb', 400, 'the stream path has a character that is not allowed'],
    ['stream_path=live/test&stream_path=live/b', 400, 'stream_path is given more than once'],
    ['stream_path=live/test&type=play', 400, 'type must be publish or subscribe'],
    ['stream_path=live/test&type=constructor', 400, 'type must be publish or subscribe'],
    ['stream_path=live/test&expire=xyz', 400, 'expire must be Unix seconds in hexadecimal'],
    ['stream_path=live/test&plugin=nope', 400, 'plugin must be global or the name of a plugin that runs'],
    ['stream_path=live/test&plugin=rtmp&type=subscribe', 404, 'rtmp has no subscribe.key'],
  ]
  for (const [query, status, message] of refusals) {
    it(`refuses ?${query} with ${status}: ${message}`, async () => {
      const answer = await ask(query)
      expect(answer.status).to.equal(status)
      expect(answer.body).to.eql({ code: status === 404 ? 5 : 3, message, details: [] })
    })
  }

  it('never shows a key', async () => {
    const texts = await Promise.all(refusals.map(async ([query]) => (await ask(query)).text))
    expect(texts.join('')).not.to.match(/pubkey|subkey|rtmpkey/u)
  })

  it('needs admin rights', async () => {
    for (const address of ['192.0.2.1', '2001:db8::1', '10.0.0.1', '::ffff:192.0.2.1']) {
      const answer = await ask('stream_path=live/test', { remoteAddress: address })
      expect(answer.status).to.equal(401)
      expect(answer.text).not.to.include('secret')
    }
  })

  it('is for no page of another site', async () => {
    const answer = await ask('stream_path=live/test', { headers: { origin: 'https://page.example' } })
    expect(answer.status).to.equal(403)
    expect(answer.text).not.to.include('secret')
  })
})

describe('GET /api/secret/{type}/{streamPath}', () => {
  it('is the signature alone, by the key of the server or of a plugin', async () => {
    for (const [url, secret] of [
      ['/api/secret/publish/live/test?expire=6f000000', PUBLISH_SECRET],
      ['/api/secret/subscribe/live/test?expire=6F000000', SUBSCRIBE_SECRET],
      ['/rtmp/api/secret/publish/live/test?expire=6f000000', RTMP_SECRET],
    ] as const) {
      expect(await askFor({ url }), url).to.eql({ status: 200, text: secret })
    }
  })

  it('is for this machine alone, and refused where there is no key', async () => {
    const url = '/rtmp/api/secret/publish/live/test'
    expect((await askFor({ url, remoteAddress: '192.0.2.1' })).status).to.equal(401)
    expect((await askFor({ url: '/none/api/secret/publish/live/test' })).status).to.equal(400)
    expect((await askFor({ url: '/api/secret/publish/live/test?expire=zz' })).status).to.equal(400)
  })
})
