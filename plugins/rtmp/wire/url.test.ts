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

/** Addresses as platforms and servers give them out, and what encoders say there. */
const ingests: { what: string; url: string; port: number; tcUrl: string; app: string; name: string }[] = [
  {
    what: 'YouTube',
    url: 'rtmp://a.rtmp.youtube.com/live2/abcd-efgh-ijkl',
    port: 1935,
    tcUrl: 'rtmp://a.rtmp.youtube.com/live2',
    app: 'live2',
    name: 'abcd-efgh-ijkl',
  },
  {
    what: 'YouTube with TLS',
    url: 'rtmps://a.rtmps.youtube.com/live2/abcd-efgh-ijkl',
    port: 443,
    tcUrl: 'rtmps://a.rtmps.youtube.com/live2',
    app: 'live2',
    name: 'abcd-efgh-ijkl',
  },
  {
    what: 'Twitch',
    url: 'rtmp://live.twitch.tv/app/live_123_key?bandwidthtest=true',
    port: 1935,
    tcUrl: 'rtmp://live.twitch.tv/app',
    app: 'app',
    name: 'live_123_key?bandwidthtest=true',
  },
  {
    what: 'Facebook',
    url: 'rtmps://live-api-s.facebook.com:443/rtmp/FB-123-0-Ab?s_bl=1&a=Ab/c-d',
    port: 443,
    tcUrl: 'rtmps://live-api-s.facebook.com:443/rtmp',
    app: 'rtmp',
    name: 'FB-123-0-Ab?s_bl=1&a=Ab/c-d',
  },
  {
    what: 'Bilibili',
    url: 'rtmp://live-push.bilivideo.com/live-bvc/?streamname=live_1&key=a/b&schedule=rtmp',
    port: 1935,
    tcUrl: 'rtmp://live-push.bilivideo.com/live-bvc',
    app: 'live-bvc',
    name: '?streamname=live_1&key=a/b&schedule=rtmp',
  },
  {
    what: 'Alibaba',
    url: 'rtmp://push.example.com/app/name?auth_key=1700000000-0-0-0123abcd',
    port: 1935,
    tcUrl: 'rtmp://push.example.com/app',
    app: 'app',
    name: 'name?auth_key=1700000000-0-0-0123abcd',
  },
  {
    what: 'Tencent',
    url: 'rtmp://1.livepush.myqcloud.com/live/name?txSecret=0123abcd&txTime=5f000000',
    port: 1935,
    tcUrl: 'rtmp://1.livepush.myqcloud.com/live',
    app: 'live',
    name: 'name?txSecret=0123abcd&txTime=5f000000',
  },
  {
    what: 'Akamai',
    url: 'rtmp://p.ep1.i.akamaientrypoint.net/EntryPoint/name_1@123',
    port: 1935,
    tcUrl: 'rtmp://p.ep1.i.akamaientrypoint.net/EntryPoint',
    app: 'EntryPoint',
    name: 'name_1@123',
  },
  {
    what: 'an instance of Wowza',
    url: 'rtmp://example.com:1936/app/_definst_/name',
    port: 1936,
    tcUrl: 'rtmp://example.com:1936/app/_definst_',
    app: 'app/_definst_',
    name: 'name',
  },
  {
    what: 'a recording',
    url: 'rtmp://example.com/vod/mp4:folder/clip.mp4?start=1',
    port: 1935,
    tcUrl: 'rtmp://example.com/vod',
    app: 'vod',
    name: 'mp4:folder/clip.mp4?start=1',
  },
  {
    what: 'a recording of an instance',
    url: 'rtmp://example.com/vod/_definst_/flv:clip',
    port: 1935,
    tcUrl: 'rtmp://example.com/vod/_definst_',
    app: 'vod/_definst_',
    name: 'flv:clip',
  },
  {
    what: 'a host by its IPv6 address',
    url: 'rtmps://[2001:db8::2]:1443/app/name',
    port: 1443,
    tcUrl: 'rtmps://[2001:db8::2]:1443/app',
    app: 'app',
    name: 'name',
  },
  {
    what: 'a user',
    url: 'rtmp://us%65r:pa:ss@w%40rd@example.com:1935/app/name?key=1',
    port: 1935,
    tcUrl: 'rtmp://example.com:1935/app',
    app: 'app',
    name: 'name?key=1',
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
  'rtmp://user:password@/live/test',
  'rtmp://user:pass/word@example.com/live/test',
  'rtmp://user:password@example.com/live/?',
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

  for (const { what, url, ...expected } of ingests) {
    it(`says to ${what} what encoders say`, () => {
      expect(parseRtmpUrl(url)).to.deep.include(expected)
    })
  }

  it('takes the user out, decoded where that can be', () => {
    const users: readonly (readonly [string, string, string])[] = [
      ['us%65r:pa:ss@w%40rd', 'user', 'pa:ss@w@rd'],
      ['user', 'user', ''],
      ['100%:50%', '100%', '50%'],
    ]
    for (const [text, name, password] of users) {
      expect(parseRtmpUrl(`rtmp://${text}@example.com/app/name`).user).to.eql({ name, password })
    }
    expect(parseRtmpUrl('rtmp://@example.com/app/name').user).to.equal(undefined)
  })

  it('keeps secrets out of its errors', () => {
    for (const url of ['rtmp://example.com/live?key=topsecret', 'rtmp://topsecret@example.com/live']) {
      expect(() => parseRtmpUrl(url))
        .to.throw()
        .not.match(/topsecret/)
    }
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
