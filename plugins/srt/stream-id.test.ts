import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { addressOf, parseStreamId, UnsupportedMode, type StreamRequest } from './stream-id.ts'

const publish = (streamPath: string, query = ''): StreamRequest => ({ action: 'publish', streamPath, query })
const play = (streamPath: string, query = ''): StreamRequest => ({ action: 'play', streamPath, query })

const CASES: readonly (readonly [streamId: string, request: StreamRequest])[] = [
  ['publish:/live/a', publish('/live/a')],
  ['publish:live/a', publish('live/a')],
  ['PUBLISH:/live/a', publish('/live/a')],
  ['publish:/live/a?secret=1f&expire=2e', publish('/live/a', 'secret=1f&expire=2e')],
  ['publish:/live/a?secret=1f%26expire=2e', publish('/live/a', 'secret=1f&expire=2e')],
  ['publish:/live/a?a=b%26c&d=e', publish('/live/a', 'a=b%26c&d=e')],
  ['subscribe:/live/a?b=c?d', play('/live/a', 'b=c?d')],
  ['read:/live/a', play('/live/a')],
  ['request:/live/a', play('/live/a')],
  ['play:/live/ä', play('/live/ä')],
  // What a path may be is for the streams to say.
  ['publish:', publish('')],
  ['publish:/a:b', publish('/a:b')],
  ['#!::r=live/a,m=publish', publish('live/a')],
  ['#!::m=publish,r=/live/a', publish('/live/a')],
  ['%23!::r=live/a,m=publish', publish('live/a')],
  ['#!::r=live/a', play('live/a')],
  ['#!::r=live/a,m=request,t=stream', play('live/a')],
  ['#!::r=live/a,m=publish,u=tom,s=x/1,h=host', publish('live/a', 'u=tom&s=x%2F1&h=host')],
  ['#!::u=a&b,r=live/a?secret=1&u=c', play('live/a', 'secret=1&u=c&u=a%26b')],
  ['#!::r=live/a,secret=a=b,expire=', play('live/a', 'secret=a%3Db&expire=')],
  ['#!::r=live/a,__proto__=x', play('live/a', '__proto__=x')],
]

/** Stream ids that were percent-encoded, in whole or in part, and what they are then. */
const ENCODED: readonly (readonly [streamId: string, request: StreamRequest])[] = [
  [encodeURIComponent('publish:/live/a'), publish('/live/a')],
  [encodeURIComponent('publish:/live/a').toLowerCase(), publish('/live/a')],
  [encodeURIComponent('publish:/live/50%'), publish('/live/50%')],
  [encodeURIComponent('publish:/live/50%25'), publish('/live/50%25')],
  [encodeURIComponent('publish:/live/日本 ä'), publish('/live/日本 ä')],
  [encodeURIComponent('publish:/live/a?secret=1&expire=2'), publish('/live/a', 'secret=1&expire=2')],
  [encodeURIComponent('play:/live/a?next=b%26c&d=%2F'), play('/live/a', 'next=b%26c&d=%2F')],
  ['publish%3A/live/a', publish('/live/a')],
  ['publish%3a/live/50%', publish('/live/50%')],
  ['publish%3A/live/%ff%41', publish('/live/%ff%41')],
  ['publish:%2flive%2fa', publish('/live/a')],
  ['publish:live%2Fa', publish('live/a')],
  ['publish:/live/a%3Fsecret=1&expire=2', publish('/live/a', 'secret=1&expire=2')],
  ['publish:/live/a%3fsecret%3d1%26expire%3d2', publish('/live/a', 'secret=1&expire=2')],
  ['publish:/live/a?secret%3D1', publish('/live/a', 'secret=1')],
  ['publish:/live/a?secret%3D1%26next%3Db%2526c', publish('/live/a', 'secret=1&next=b%26c')],
  [encodeURIComponent('#!::r=live/a,m=publish,u=x/1'), publish('live/a', 'u=x%2F1')],
  [encodeURIComponent('#!::r=live/a,m=publish').toLowerCase(), publish('live/a')],
  ['%23%21%3A%3Ar%3Dlive%2Fa%2Cm%3Dpublish', publish('live/a')],
  ['#!%3A%3Ar=live/a,m=publish', publish('live/a')],
  ['#!::r%3Dlive/a,m%3Dpublish', publish('live/a')],
  ['#!::m=publish,r%3dlive/a', publish('live/a')],
  ['#!::m=publish%2Cr=live/a', publish('live/a')],
  ['%23!::r=live%2Fa,m=publish', publish('live/a')],
  ['#!::r=live/a%3Fsecret=1,m=publish', publish('live/a', 'secret=1')],
  // No delimiter of theirs is an escape: what is in them is meant as it stands.
  ['publish:/live/50%', publish('/live/50%')],
  ['publish:/live/50%25', publish('/live/50%25')],
  ['publish:/live/a%20b', publish('/live/a%20b')],
  ['publish:/live/a?next=%2Flive%2Fb', publish('/live/a', 'next=%2Flive%2Fb')],
  ['#!::r=live/50%,m=publish', publish('live/50%')],
  ['#!::r=live/a,m=publish,policy=a%2Fb%3D', publish('live/a', 'policy=a%252Fb%253D')],
]

const MALFORMED: readonly string[] = [
  '',
  'live/a',
  '/live/a',
  'delete:/live/a',
  'constructor:/live/a',
  'publish:/live/a\n',
  '#!:publish:/live/a',
  '#!{r: live/a}',
  '#!::',
  '#!::m=publish',
  '#!::r=live/a,m',
  '#!::r=live/a,=b',
  '#!::r=live/a,r=live/b',
  '#!::r=live/a,m=delete',
  '#!::r=live/a,m=constructor',
  encodeURIComponent(encodeURIComponent('publish:/live/a')),
  'publish%3A/live/a%0A',
  'delete%3A%2Flive%2Fa',
  `publish:/${'a'.repeat(512)}`,
  `publish:/${'ä'.repeat(255)}`,
  `#!::r=a${Array.from({ length: 32 }, (_, index) => `,k${index}=1`).join('')}`,
]

describe('parseStreamId', () => {
  for (const [streamId, request] of CASES) {
    it(`reads ${streamId}`, () => expect(parseStreamId(streamId)).to.deep.equal(request))
  }

  it('reads what was percent-encoded, once, and lets a % of a name be', () => {
    for (const [streamId, request] of ENCODED) expect(parseStreamId(streamId), streamId).to.deep.equal(request)
  })

  for (const streamId of MALFORMED) {
    it(`refuses ${JSON.stringify(streamId.slice(0, 40))}`, () => {
      expect(() => parseStreamId(streamId)).to.throw(MalformedError)
    })
  }

  for (const streamId of ['#!::r=live/a,m=bidirectional', '#!::r=live/a,m=publish,t=file']) {
    it(`does not support ${streamId}`, () => expect(() => parseStreamId(streamId)).to.throw(UnsupportedMode))
  }

  it('throws nothing else, whatever comes, and its messages show nothing of it', () => {
    const seeds = [...[...CASES, ...ENCODED].map(([streamId]) => streamId), ...MALFORMED]
    const some = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(fc.constantFrom(...seeds), fc.nat(40), fc.string()).map(([seed, at, text]) => {
        return seed.slice(0, at) + text + seed.slice(at)
      }),
    )
    fc.assert(
      fc.property(some, (streamId) => {
        try {
          const { action, streamPath, query } = parseStreamId(streamId)
          expect([action === 'publish' || action === 'play', streamPath.includes('?')]).to.deep.equal([true, false])
          expect(() => new URLSearchParams(query)).not.to.throw()
        } catch (error) {
          if (!(error instanceof MalformedError) && !(error instanceof UnsupportedMode)) throw error
        }
      }),
    )
  })
})

describe('addressOf', () => {
  it('is the address that the specification has', () => {
    const streamId = 'publish:/live/a?secret=1&expire=2'
    expect(addressOf('192.0.2.1', 6000, streamId)).to.equal(`srt://192.0.2.1:6000?streamid=${streamId}`)
    expect(addressOf('192.0.2.1', 6000, encodeURIComponent(streamId))).to.equal(
      `srt://192.0.2.1:6000?streamid=${streamId}`,
    )
  })

  it('is a URL also with an address of IPv6 and keys', () => {
    const address = addressOf('2001:db8::1', 6000, '#!::r=live/a,m=publish')
    expect(new URL(address).searchParams.get('streamid')).to.equal('#!::r=live/a,m=publish')
    expect(new URL(address).hostname).to.equal('[2001:db8::1]')
  })
})
