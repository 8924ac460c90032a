import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { MAX_URL_LENGTH, parseRtmpUrl, parseStreamTarget } from './url.ts'

const HOST = 'rtmp://example.com'
/** Where the client connected. */
const SERVER = 'rtmp://192.0.2.1:1935'

const targets: {
  name: string
  request: [app: string, name: string, tcUrl?: string]
  target: [path: string, query: string]
}[] = [
  { name: 'app and name', request: ['live', 'test'], target: ['live/test', ''] },
  {
    name: 'a query on the name',
    request: ['live', 'test?secret=1&expire=2'],
    target: ['live/test', 'secret=1&expire=2'],
  },
  { name: 'a query on the app', request: ['live?secret=1', 'test'], target: ['live/test', 'secret=1'] },
  { name: 'a query on both', request: ['live?a=1', 'test?b=2'], target: ['live/test', 'a=1&b=2'] },
  { name: 'an empty query', request: ['live?', 'test?'], target: ['live/test', ''] },
  { name: 'a query in tcUrl alone', request: ['live', 'test', `${HOST}/live?a=1`], target: ['live/test', 'a=1'] },
  { name: 'a query in app and tcUrl', request: ['live?a=1', 'test', `${HOST}/live?a=1`], target: ['live/test', 'a=1'] },
  { name: 'an app with instance', request: ['live/inst', 'test'], target: ['live/inst/test', ''] },
  { name: 'slashes around', request: ['/live/', '/test/'], target: ['live/test', ''] },
  { name: 'a slash before the query of the app', request: ['live/?a=1', 'test'], target: ['live/test', 'a=1'] },
  { name: 'all in the name', request: ['', 'live/test?a=1', HOST], target: ['live/test', 'a=1'] },
  { name: 'the app in tcUrl alone', request: ['', 'test', `${HOST}/live`], target: ['live/test', ''] },
  {
    name: 'an app with instance and query in tcUrl alone',
    request: ['', 'test?b=2', `${HOST}/live/inst?a=1`],
    target: ['live/inst/test', 'a=1&b=2'],
  },
  { name: 'no app in tcUrl either', request: ['', 'test', `${HOST}/`], target: ['test', ''] },
  { name: 'all in the app', request: ['live/test', ''], target: ['live/test', ''] },
  { name: 'a file type before the name', request: ['vod', 'mp4:clip'], target: ['vod/mp4:clip', ''] },
  { name: 'a question mark within the query', request: ['live', 'test?a=1?b'], target: ['live/test', 'a=1?b'] },
]

const urls: { url: string; expected: ReturnType<typeof parseRtmpUrl> }[] = [
  {
    url: 'rtmp://example.com/live/test',
    expected: {
      tls: false,
      host: 'example.com',
      port: 1935,
      app: 'live',
      tcUrl: 'rtmp://example.com/live',
      name: 'test',
    },
  },
  {
    url: 'rtmps://example.com/live/test?a=/b',
    expected: {
      tls: true,
      host: 'example.com',
      port: 443,
      app: 'live',
      tcUrl: 'rtmps://example.com/live',
      name: 'test?a=/b',
    },
  },
  {
    url: 'RTMP://10.0.0.1:1936/live/inst/test',
    expected: {
      tls: false,
      host: '10.0.0.1',
      port: 1936,
      app: 'live/inst',
      tcUrl: 'rtmp://10.0.0.1:1936/live/inst',
      name: 'test',
    },
  },
  {
    url: 'rtmp://[::1]:19350/live/test',
    expected: { tls: false, host: '::1', port: 19350, app: 'live', tcUrl: 'rtmp://[::1]:19350/live', name: 'test' },
  },
  {
    url: 'rtmp://[2001:db8::2]/live?key=1/test',
    expected: {
      tls: false,
      host: '2001:db8::2',
      port: 1935,
      app: 'live?key=1',
      tcUrl: 'rtmp://[2001:db8::2]/live?key=1',
      name: 'test',
    },
  },
]

const badUrls = [
  '',
  'http://example.com/live/test',
  'rtmp:///live/test',
  'rtmp://example.com',
  'rtmp://example.com/',
  'rtmp://example.com/live',
  'rtmp://example.com/live?key=1',
  'rtmp://example.com/live/',
  'rtmp://example.com:0/live/test',
  'rtmp://example.com:65536/live/test',
  'rtmp://user:password@example.com/live/test',
  'rtmp://::1/live/test',
  `rtmp://example.com/live/${'a'.repeat(MAX_URL_LENGTH)}`,
]

describe('parseStreamTarget', () => {
  for (const { name, request, target } of targets) {
    it(`takes ${name}`, () => {
      const [app, streamName, tcUrl = `${HOST}/x`] = request
      const [streamPath, query] = target
      expect(parseStreamTarget({ app, name: streamName, tcUrl, server: SERVER })).to.deep.equal({
        streamPath,
        query,
        url: `${HOST}/${streamPath}${query && `?${query}`}`,
      })
    })
  }

  it('keeps port and IPv6 host of tcUrl in the URL', () => {
    const { url } = parseStreamTarget({ app: 'live', name: 'test', tcUrl: 'rtmps://[::1]:443/live', server: SERVER })
    expect(url).to.equal('rtmps://[::1]:443/live/test')
  })

  for (const tcUrl of ['', 'nonsense', 'http://example.com/live']) {
    it(`takes the address that the client connected to where tcUrl is '${tcUrl}'`, () => {
      const { url } = parseStreamTarget({ app: 'live', name: 'test', tcUrl, server: SERVER })
      expect(url).to.equal(`${SERVER}/live/test`)
    })
  }

  for (const [app, name] of [
    ['', ''],
    ['/', '/'],
    ['?a=1', '?b=2'],
    ['a'.repeat(MAX_URL_LENGTH + 1), 'test'],
  ] as const) {
    it(`refuses app '${app.slice(0, 9)}' with name '${name}'`, () => {
      expect(() => parseStreamTarget({ app, name, tcUrl: '', server: SERVER })).to.throw(MalformedError)
    })
  }
})

describe('parseRtmpUrl', () => {
  for (const { url, expected } of urls) {
    it(`takes ${url}`, () => {
      expect(parseRtmpUrl(url)).to.deep.equal(expected)
    })
  }

  for (const url of badUrls) {
    it(`refuses '${url.slice(0, 50)}'`, () => {
      expect(() => parseRtmpUrl(url)).to.throw(MalformedError)
    })
  }

  it('keeps secrets out of its errors', () => {
    expect(() => parseRtmpUrl('rtmp://example.com/live?key=topsecret'))
      .to.throw()
      .not.match(/topsecret/)
  })

  it('names the same stream to the server as the URL says', () => {
    const part = fc.stringMatching(/^[\w.~-]{1,12}$/)
    fc.assert(
      fc.property(part, part, part, (app, name, query) => {
        const url = parseRtmpUrl(`rtmp://example.com/${app}/${name}?${query}`)
        const target = parseStreamTarget({ ...url, server: SERVER })
        expect(target).to.deep.equal({
          streamPath: `${app}/${name}`,
          query,
          url: `rtmp://example.com/${app}/${name}?${query}`,
        })
      }),
    )
  })

  it('parses or refuses any text, in time', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((tail) => `rtmp://${tail}`),
    )
    fc.assert(
      fc.property(text, text, (a, b) => {
        for (const parse of [
          () => parseRtmpUrl(a),
          () => parseStreamTarget({ app: a, name: b, tcUrl: b, server: SERVER }),
        ]) {
          try {
            parse()
          } catch (error) {
            expect(error).to.be.instanceOf(MalformedError)
          }
        }
      }),
    )
  })
})
