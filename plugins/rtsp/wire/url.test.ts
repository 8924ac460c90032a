import { expect } from 'chai'
import fc from 'fast-check'
import { checkStreamPath } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../test/support/soak.ts'
import {
  controlUrl,
  MAX_URL_LENGTH,
  parseRtspUrl,
  parseStreamTarget,
  trackUrl,
  type RtspUrl,
  type StreamTarget,
} from './url.ts'

const HOST = 'rtsp://example.com'
/** Where the client connected. */
const SERVER = 'rtsp://192.0.2.1:554'

const NO_USER = { username: undefined, password: undefined }
const urls: { url: string; expected: RtspUrl }[] = [
  {
    url: 'rtsp://example.com/live/a?b=/c',
    expected: { tls: false, host: 'example.com', port: 554, ...NO_USER, uri: 'rtsp://example.com/live/a?b=/c' },
  },
  {
    url: 'RTSPS://example.com',
    expected: { tls: true, host: 'example.com', port: 322, ...NO_USER, uri: 'rtsps://example.com' },
  },
  {
    url: 'rtsp://[2001:db8::1]:8554/a/#x',
    expected: { tls: false, host: '2001:db8::1', port: 8554, ...NO_USER, uri: 'rtsp://[2001:db8::1]:8554/a/' },
  },
  {
    url: 'rtsps://us%65r:p%40ss%3A@10.0.0.1:1/a',
    expected: {
      tls: true,
      host: '10.0.0.1',
      port: 1,
      username: 'user',
      password: 'p@ss:',
      uri: 'rtsps://10.0.0.1:1/a',
    },
  },
  {
    url: 'rtsp://user:p@s:s%@host?a=1',
    expected: { tls: false, host: 'host', port: 554, username: 'user', password: 'p@s:s%', uri: 'rtsp://host?a=1' },
  },
  {
    url: 'rtsp://user@host/a@b',
    expected: { tls: false, host: 'host', port: 554, username: 'user', password: undefined, uri: 'rtsp://host/a@b' },
  },
  {
    url: 'rtsp://:@host/a b/ä%20\ud800',
    expected: {
      tls: false,
      host: 'host',
      port: 554,
      username: '',
      password: '',
      uri: 'rtsp://host/a%20b/%C3%A4%20%EF%BF%BD',
    },
  },
]

const badUrls = [
  '',
  'rtsp:/host/a',
  'http://example.com/a',
  'rtspu://example.com/a',
  'rtsp:///a',
  'rtsp://user:topsecret@/a',
  'rtsp://::1/a?topsecret',
  'rtsp://ho st/a',
  'rtsp://host:0/a?topsecret',
  'rtsp://host:65536/topsecret',
  'rtsp://host:/a',
  'rtsp://host/topsecret\r\nSession: 1',
  `rtsp://host/topsecret${'a'.repeat(MAX_URL_LENGTH)}`,
]

const controls: { base: string; control: string; url: string }[] = [
  { base: `${HOST}/a`, control: '', url: `${HOST}/a` },
  { base: `${HOST}/a/`, control: '*', url: `${HOST}/a/` },
  { base: `${HOST}/a`, control: 'rtsp://10.0.0.1/x', url: 'rtsp://10.0.0.1/x' },
  { base: `${HOST}/a`, control: 'RTSPS://10.0.0.1/x', url: 'RTSPS://10.0.0.1/x' },
  { base: `${HOST}/a`, control: 'trackID=0', url: `${HOST}/a/trackID=0` },
  { base: `${HOST}/a/`, control: 'trackID=0', url: `${HOST}/a/trackID=0` },
  { base: `${HOST}/a/`, control: '/trackID=0', url: `${HOST}/a/trackID=0` },
  { base: `${HOST}/a?b=1`, control: 'streamid=0', url: `${HOST}/a?b=1/streamid=0` },
  { base: `${HOST}/a?b=1/`, control: 'trackID=1', url: `${HOST}/a?b=1/trackID=1` },
  { base: HOST, control: 'video', url: `${HOST}/video` },
  { base: `${HOST}/`, control: '/a/video', url: `${HOST}/a/video` },
  { base: `${HOST}/a/`, control: '/a/video', url: `${HOST}/a/video` },
  { base: `${HOST}/a?b=1`, control: '/a/video', url: `${HOST}/a/video` },
  { base: `${HOST}/a`, control: '/ab/video', url: `${HOST}/a/ab/video` },
]

const targets: { name: string; uri: string; target: Omit<StreamTarget, 'url'>; url?: string }[] = [
  { name: 'a stream', uri: `${HOST}/live/a`, target: target('live/a', '') },
  { name: 'a stream with query', uri: `${HOST}/live/a?s=1&e=2`, target: target('live/a', 's=1&e=2') },
  { name: 'a slash at the end', uri: `${HOST}/live/a/`, target: target('live/a', ''), url: `${HOST}/live/a` },
  {
    name: 'a slash after the query (ffmpeg, GStreamer)',
    uri: `${HOST}/live/a?s=1/`,
    target: target('live/a', 's=1'),
    url: `${HOST}/live/a?s=1`,
  },
  {
    name: 'a track before the query (trackUrl, GStreamer)',
    uri: `${HOST}/live/a/trackID=0?s=x`,
    target: target('live/a', 's=x', 0),
    url: `${HOST}/live/a?s=x`,
  },
  {
    name: 'a track after the query (ffmpeg)',
    uri: `${HOST}/live/a?s=x/streamid=1`,
    target: target('live/a', 's=x', 1),
    url: `${HOST}/live/a?s=x`,
  },
  {
    name: 'a track after the slash of a path with query',
    uri: `${HOST}/live/a/?s=x/trackID=12/`,
    target: target('live/a', 's=x', 12),
    url: `${HOST}/live/a?s=x`,
  },
  {
    name: 'a track of GStreamer',
    uri: `${HOST}/live/a/stream=0?s=x`,
    target: target('live/a', 's=x', 0),
    url: `${HOST}/live/a?s=x`,
  },
  {
    name: 'a track after two slashes',
    uri: `${HOST}/live/a//trackid=3/`,
    target: target('live/a', '', 3),
    url: `${HOST}/live/a`,
  },
  {
    name: 'a track of a base that ends with its query',
    uri: `${HOST}/live/a?s=x//trackID=1`,
    target: target('live/a', 's=x', 1),
    url: `${HOST}/live/a?s=x`,
  },
  {
    name: 'a stream that is named like a track, within',
    uri: `${HOST}/trackID=0/a`,
    target: target('trackID=0/a', ''),
  },
  {
    name: 'a stream that is named like a track of others',
    uri: `${HOST}/live/track1`,
    target: target('live/track1', ''),
  },
  { name: 'a parameter like a track', uri: `${HOST}/live/a?trackID=1`, target: target('live/a', 'trackID=1') },
  { name: 'a track of too many digits', uri: `${HOST}/a/trackID=12345`, target: target('a/trackID=12345', '') },
  {
    name: 'a path alone',
    uri: '/live/a/trackID=1?s=1',
    target: target('live/a', 's=1', 1),
    url: `${SERVER}/live/a?s=1`,
  },
  {
    name: 'user information',
    uri: 'rtsps://user:p@ss@[::1]:322/a?s=1',
    target: target('a', 's=1'),
    url: 'rtsps://[::1]:322/a?s=1',
  },
  { name: 'an encoded path', uri: `${HOST}/live/b%20%C3%A4?s=%20`, target: target('live/b ä', 's=%20') },
  { name: 'a path that is not encoded', uri: `${HOST}/live/b ä`, target: target('live/b ä', '') },
]

function target(streamPath: string, query: string, trackIndex?: number): Omit<StreamTarget, 'url'> {
  return { streamPath, query, trackIndex }
}

describe('parseRtspUrl', () => {
  for (const { url, expected } of urls) {
    it(`takes ${url}`, () => {
      expect(parseRtspUrl(url)).to.deep.equal(expected)
    })
  }

  for (const url of badUrls) {
    it(`refuses ${JSON.stringify(url.slice(0, 40))}, without showing it`, () => {
      expect(() => parseRtspUrl(url))
        .to.throw(MalformedError)
        .that.satisfies((error: Error) => !error.message.includes('topsecret'))
    })
  }
})

describe('controlUrl', () => {
  for (const { base, control, url } of controls) {
    it(`makes ${url} of ${base} and '${control}'`, () => {
      expect(controlUrl(base, control)).to.equal(url)
    })
  }
})

describe('parseStreamTarget', () => {
  for (const { name, uri, target, url = uri } of targets) {
    it(`takes ${name}`, () => {
      expect(parseStreamTarget(uri, SERVER)).to.deep.equal({ ...target, url })
    })
  }

  for (const uri of [
    '',
    '/',
    HOST,
    `${HOST}/`,
    `${HOST}/?s=topsecret`,
    `${HOST}/trackID=0`,
    `${HOST}/%ff?topsecret`,
    `${HOST}/a\n`,
  ]) {
    it(`refuses ${JSON.stringify(uri)}, without showing it`, () => {
      expect(() => parseStreamTarget(uri, SERVER))
        .to.throw(MalformedError)
        .that.satisfies((error: Error) => !error.message.includes('topsecret'))
    })
  }

  it('finds the track that clients ask for, however they put the URL together', () => {
    const part = fc.stringMatching(/^\w[\w.~-]{0,11}$/u)
    fc.assert(
      fc.property(part, part, part, fc.nat(99), (app, name, query, index) => {
        const url = `${HOST}/${app}/${name}?${query}`
        const expected = { streamPath: `${app}/${name}`, query, trackIndex: index, url }
        expect(parseStreamTarget(trackUrl(url, index), SERVER)).to.deep.equal(expected)
        expect(parseStreamTarget(controlUrl(url, `trackID=${index}`), SERVER)).to.deep.equal(expected)
        expect(parseStreamTarget(controlUrl(`${url}/`, `streamid=${index}`), SERVER)).to.deep.equal(expected)
        expect(checkStreamPath(expected.streamPath)).to.equal(expected.streamPath)
      }),
    )
  })

  it('parses or refuses any text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((tail) => `rtsp://${tail}`),
      fc.string().map((tail) => `rtsp://host/${tail}/trackID=1`),
    )
    fc.assert(
      fc.property(text, (text) => {
        for (const parse of [() => parseRtspUrl(text), () => parseStreamTarget(text, SERVER)]) {
          try {
            parse()
          } catch (error) {
            expect(error).to.be.instanceOf(MalformedError)
          }
        }
      }),
      { numRuns: rounds(1000) },
    )
  })
})

describe('trackUrl', () => {
  it('puts the track before the query', () => {
    expect(trackUrl(`${HOST}/live/a`, 0)).to.equal(`${HOST}/live/a/trackID=0`)
    expect(trackUrl(`${HOST}/live/a?s=x/y`, 1)).to.equal(`${HOST}/live/a/trackID=1?s=x/y`)
  })
})
