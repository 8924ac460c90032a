import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { parseTargetUrl, type SrtTarget } from './target-url.ts'

const DEFAULTS: SrtTarget = {
  host: 'example.com',
  port: 6e3,
  mode: 'caller',
  streamId: '',
  passphrase: '',
  keyBytes: 16,
  latencyMs: undefined,
  maxBytesPerSecond: undefined,
  localPort: undefined,
}

const CASES: readonly (readonly [url: string, differing: Partial<SrtTarget>])[] = [
  ['srt://example.com:6000', {}],
  ['SRT://example.com:6000?', {}],
  ['srt://192.0.2.1:9/', { host: '192.0.2.1', port: 9 }],
  ['srt://[2001:db8::1]:6000', { host: '2001:db8::1' }],
  ['srt://bücher.example:6000', { host: 'xn--bcher-kva.example' }],
  ['srt://example.com:6000?streamid=publish:/live/a', { streamId: 'publish:/live/a' }],
  [
    'srt://example.com:6000?streamid=publish:/live/a?secret=1&expire=2',
    { streamId: 'publish:/live/a?secret=1&expire=2' },
  ],
  [
    'srt://example.com:6000?latency=80&streamid=read:/a?b=1&c=2&mode=rendezvous&d=3',
    { streamId: 'read:/a?b=1&c=2', latencyMs: 80, mode: 'rendezvous', localPort: 6000 },
  ],
  [
    'srt://example.com:6000?streamid=publish:/live/a%3Fsecret=1%26latency=2',
    { streamId: 'publish:/live/a?secret=1&latency=2' },
  ],
  ['srt://example.com:6000?streamid=#!::r=live/a,m=publish', { streamId: '#!::r=live/a,m=publish' }],
  ['srt://example.com:6000?streamid=%23!::r=live/a,m=publish&x=1', { streamId: '#!::r=live/a,m=publish' }],
  ['srt://example.com:6000?streamid=a+b', { streamId: 'a+b' }],
  ['srt://example.com:6000?passphrase=0123456789&pbkeylen=32', { passphrase: '0123456789', keyBytes: 32 }],
  ['srt://example.com:6000?passphrase=&pbkeylen=0', {}],
  ['srt://example.com:6000?maxbw=-1', {}],
  ['srt://example.com:6000?maxbw=0', {}],
  ['srt://example.com:6000?maxbw=125000&latency=0', { maxBytesPerSecond: 125_000, latencyMs: 0 }],
  ['srt://example.com:6000?mode=caller&localport=7000', { localPort: 7000 }],
  ['srt://example.com:6000?mode=rendezvous&localport=7000', { mode: 'rendezvous', localPort: 7000 }],
  ['srt://example.com:6000?transtype=live&pkt_size=1316&whatever=1', {}],
]

const REFUSED: readonly (readonly [url: string, message: string])[] = [
  ['', 'srt://host:port'],
  ['rtmp://example.com:6000', 'srt://host:port'],
  ['srt://example.com', 'without a port'],
  ['srt://example.com:0', 'without a port'],
  ['srt://example.com:65536', 'srt://host:port'],
  ['srt://:6000', 'srt://host:port'],
  ['srt://a%20b:6000', 'without a host'],
  ['srt://user:pass@example.com:6000', 'passphrase='],
  ['srt://example.com:6000?mode=listener', 'srt.listenaddr'],
  ['srt://example.com:6000?mode=server', 'caller or rendezvous'],
  ['srt://example.com:6000?passphrase=secret', '10 to 80'],
  ['srt://example.com:6000?pbkeylen=20', '16, 24 or 32'],
  ['srt://example.com:6000?latency=1s', 'latency='],
  ['srt://example.com:6000?latency=120000', 'latency='],
  ['srt://example.com:6000?streamid=%zz', '%25'],
  [`srt://example.com:6000?streamid=${'a'.repeat(513)}`, '512'],
  [`srt://example.com:6000?streamid=${'a'.repeat(5000)}`, 'srt://host:port'],
]

describe('parseTargetUrl', () => {
  for (const [url, differing] of CASES) {
    it(`reads ${url}`, () => expect(parseTargetUrl(url)).to.deep.equal({ ...DEFAULTS, ...differing }))
  }

  for (const [url, message] of REFUSED) {
    it(`refuses ${url.slice(0, 60)}`, () => {
      expect(() => parseTargetUrl(url)).to.throw(MalformedError, message)
    })
  }

  it('throws nothing else, whatever comes', () => {
    const seeds = [...CASES, ...REFUSED].map(([url]) => url)
    const some = fc
      .tuple(fc.constantFrom(...seeds), fc.nat(60), fc.string({ unit: 'binary' }))
      .map(([seed, at, text]) => {
        return seed.slice(0, at) + text + seed.slice(at)
      })
    fc.assert(
      fc.property(some, (url) => {
        try {
          const { port, streamId } = parseTargetUrl(url)
          expect(port).to.be.within(1, 65_535)
          expect(Buffer.byteLength(streamId)).to.be.at.most(512)
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error
        }
      }),
    )
  })
})
