import { expect } from 'chai'

type Target = { readonly streamPath: string; readonly query: string }
type Shown = { readonly plugin: string; readonly scheme: string; readonly address: string }
/** What the page's script exports; it is JavaScript, for browsers. */
type Addresses = {
  readonly parseTarget: (text: string) => Target
  readonly targetInFragment: (hash: string) => Target
  readonly fragmentOf: (target: Target) => string
  readonly addressOf: (shown: Shown, target: Target, pageUrl: string) => string
  readonly labelOf: (shown: Shown) => string
  readonly shellWord: (text: string) => string
}

const script = new URL('./addresses.js', import.meta.url).href
const { parseTarget, targetInFragment, fragmentOf, addressOf, labelOf, shellWord } = (await import(script)) as Addresses

describe('addresses on the home page', () => {
  const written = [
    { text: 'live/test', target: { streamPath: 'live/test', query: '' } },
    { text: ' /live/test?secret=a&expire=b ', target: { streamPath: 'live/test', query: 'secret=a&expire=b' } },
    { text: 'rtmp://host:1935/live/test?a=?', target: { streamPath: 'live/test', query: 'a=?' } },
    { text: '', target: { streamPath: '', query: '' } },
  ]
  for (const { text, target } of written) {
    it(`reads '${text}' in the field`, () => expect(parseTarget(text)).to.eql(target))
  }

  for (const streamPath of ['live/test', 'live/a b', 'live/100%?', 'live/ü']) {
    it(`keeps ${streamPath} and its query in the page's address`, () => {
      const target = { streamPath, query: 'secret=a&expire=b' }
      expect(targetInFragment(new URL(`http://host/#${fragmentOf(target)}`).hash)).to.eql(target)
    })
  }

  it('takes an address that is damaged for none', () => {
    expect(targetInFragment('#live/%')).to.eql({ streamPath: '', query: '' })
  })

  const filled = [
    { scheme: 'http', address: 'flv/{streamPath}.flv', url: 'https://host/tv/flv/live/a%3Fb.flv?k=$1&l' },
    { scheme: 'ws', address: 'flv/{streamPath}.flv', url: 'wss://host/tv/flv/live/a%3Fb.flv?k=$1&l' },
    { scheme: 'http', address: 'http://{hostName}:81/{streamPath}', url: 'http://host:81/live/a%3Fb?k=$1&l' },
    {
      scheme: 'srt',
      address: 'srt://{hostName}:82?streamid={streamPath}',
      url: 'srt://host:82?streamid=live/a?b?k=$1%26l',
    },
  ]
  for (const { scheme, address, url } of filled) {
    it(`fills ${scheme} ${address} in`, () => {
      const target = { streamPath: 'live/a?b', query: 'k=$1&l' }
      expect(addressOf({ plugin: 'x', scheme, address }, target, 'https://host/tv/?q#live/x')).to.equal(url)
    })
  }

  it('names addresses by plugin and what carries them', () => {
    const names = [
      ['rtmp', 'rtmps'],
      ['flv', 'ws'],
      ['hls', 'http'],
      ['h264', 'tcp'],
    ].map(([plugin = '', scheme = '']) => labelOf({ plugin, scheme, address: '' }))
    expect(names).to.eql(['RTMPS', 'FLV over WebSocket', 'HLS over HTTP', 'H264 over TCP'])
  })

  it('quotes what a shell would read', () => {
    expect(shellWord('rtmp://h:1/a/b')).to.equal('rtmp://h:1/a/b')
    expect(shellWord("rtmp://h/a?b=1&c='")).to.equal(String.raw`'rtmp://h/a?b=1&c='\'''`)
  })
})
