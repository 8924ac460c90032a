import { expect } from 'chai'
import { validateMultivariant } from './multivariant-rules.ts'

const GOOD = `#EXTM3U
#EXT-X-VERSION:6
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="en",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="a.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="6",URI="b.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=900,AVERAGE-BANDWIDTH=800,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=64x48,FRAME-RATE=25,AUDIO="audio"
v.m3u8
`
const AUDIO_ONLY = `#EXTM3U
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=900,CODECS="opus"
a.m3u8
`

const broken: readonly (readonly [what: string, from: string | RegExp, to: string, rule: string, line: number])[] = [
  ['another first line', '#EXTM3U\n', '', 'first-line', 1],
  ['a tag of a media playlist', 'v.m3u8\n', 'v.m3u8\n#EXT-X-TARGETDURATION:2\n', 'unknown-tag', 8],
  ['a tag twice', '#EXT-X-VERSION:6\n', '#EXT-X-VERSION:6\n#EXT-X-VERSION:6\n', 'repeated-tag', 3],
  ['segments that may depend on others', '#EXT-X-INDEPENDENT-SEGMENTS\n', '', 'independent-segments', 1],
  ['no variant', /#EXT-X-STREAM.*\nv.m3u8\n/u, '', 'variants', 1],
  ['a variant without a URI', 'v.m3u8\n', '', 'variants', 6],
  ['a URI that is no variant', 'v.m3u8\n', 'v.m3u8\nw.m3u8\n', 'variants', 8],
  ['no bandwidth', 'BANDWIDTH=900,', '', 'bandwidth', 6],
  ['a bandwidth of nothing', 'BANDWIDTH=900,AVERAGE-BANDWIDTH=800', 'BANDWIDTH=0', 'bandwidth', 6],
  ['an average above the peak', 'AVERAGE-BANDWIDTH=800', 'AVERAGE-BANDWIDTH=901', 'average-bandwidth', 6],
  ['no codecs', /CODECS="[^"]*",/u, '', 'codecs', 6],
  ['a codec that is none', 'mp4a.40.2', 'aac', 'codecs', 6],
  ['no resolution', 'RESOLUTION=64x48,', '', 'resolution', 6],
  ['a picture of no size', '64x48', '0x0', 'resolution', 6],
  ['no frame rate', 'FRAME-RATE=25,', '', 'frame-rate', 6],
  ['a frame rate of nothing', 'FRAME-RATE=25,', 'FRAME-RATE=0,', 'frame-rate', 6],
  ['a group that is not there', 'AUDIO="audio"', 'AUDIO="sound"', 'audio-group', 6],
  ['an attribute without quotes', 'NAME="de"', 'NAME=de', 'attributes', 5],
  ['a quote too many', 'LANGUAGE="en"', 'LANGUAGE="e"n"', 'attributes', 4],
  ['a rendition without a group', 'GROUP-ID="audio",NAME="de",', 'NAME="de",', 'media-attribute', 5],
  ['a rendition without channels', ',CHANNELS="6"', '', 'media-attribute', 5],
  ['two renditions of one name', 'NAME="de"', 'NAME="en"', 'media-name', 5],
  ['two defaults', 'DEFAULT=NO', 'DEFAULT=YES', 'media-default', 5],
  ['a default that is never selected', 'YES,AUTOSELECT=YES', 'YES,AUTOSELECT=NO', 'media-default', 4],
]

describe('validateMultivariant', () => {
  it('finds nothing in good playlists', () => {
    expect(validateMultivariant(GOOD)).to.deep.equal([])
    expect(validateMultivariant(AUDIO_ONLY)).to.deep.equal([])
  })

  for (const codec of ['hvc1.1.6.L93.B0', 'hvc1.2.4.H120.90', 'av01.0.04M.08', 'vp09.00.10.08', 'avc1.42c01e']) {
    it(`knows ${codec}`, () => expect(validateMultivariant(GOOD.replace('avc1.64001f', codec))).to.deep.equal([]))
  }

  for (const [what, from, to, rule, line] of broken) {
    it(`finds ${what}`, () => {
      const found = validateMultivariant(GOOD.replace(from, to))
      expect(found.map((violation) => [violation.rule, violation.line])).to.deep.equal([[rule, line]])
    })
  }
})
