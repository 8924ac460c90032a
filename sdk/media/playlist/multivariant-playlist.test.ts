import { expect } from 'chai'
import * as HLS from 'hls-parser'
import { serializeMultivariantPlaylist, type MultivariantPlaylist } from './multivariant-playlist.ts'

const BARE: MultivariantPlaylist = {
  version: 6,
  independentSegments: false,
  variants: [{ uri: 'video.m3u8', bandwidth: 1_000_000 }],
  audio: [],
}
const FULL: MultivariantPlaylist = {
  version: 9,
  independentSegments: true,
  variants: [
    {
      uri: 'video.m3u8',
      bandwidth: 2_500_000,
      averageBandwidth: 2_100_000,
      codecs: 'avc1.64001f,mp4a.40.2',
      width: 1280,
      height: 720,
      frameRate: 30_000 / 1001,
      audioGroup: 'audio',
    },
  ],
  audio: [
    {
      ...{ groupId: 'audio', name: 'English, stereo=1', language: 'en', channels: '2' },
      ...{ default: true, autoselect: true, uri: 'audio.m3u8' },
    },
    { groupId: 'audio', name: 'Zwei', default: false, autoselect: true, uri: 'audio2.m3u8' },
    { groupId: 'muxed', name: 'main', default: false, autoselect: false },
  ],
}

const cases: readonly (readonly [name: string, playlist: MultivariantPlaylist, lines: readonly string[]])[] = [
  [
    'the least that a variant needs',
    BARE,
    ['#EXTM3U', '#EXT-X-VERSION:6', '#EXT-X-STREAM-INF:BANDWIDTH=1000000', 'video.m3u8'],
  ],
  [
    'all there is, with sound of its own',
    FULL,
    [
      '#EXTM3U',
      '#EXT-X-VERSION:9',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English, stereo=1",LANGUAGE="en",DEFAULT=YES,' +
        'AUTOSELECT=YES,CHANNELS="2",URI="audio.m3u8"',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Zwei",DEFAULT=NO,AUTOSELECT=YES,URI="audio2.m3u8"',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="muxed",NAME="main",DEFAULT=NO,AUTOSELECT=NO',
      '#EXT-X-STREAM-INF:BANDWIDTH=2500000,AVERAGE-BANDWIDTH=2100000,CODECS="avc1.64001f,mp4a.40.2",' +
        'RESOLUTION=1280x720,FRAME-RATE=29.97,AUDIO="audio"',
      'video.m3u8',
    ],
  ],
]

describe('serializeMultivariantPlaylist', () => {
  for (const [name, playlist, lines] of cases) {
    it(`writes ${name}`, () => {
      expect(serializeMultivariantPlaylist(playlist).split('\n')).to.deep.equal([...lines, ''])
    })
  }

  it('is read by hls-parser as what was written', () => {
    const read = HLS.parse(serializeMultivariantPlaylist(FULL, (uri) => `a/${uri}?b=c`))
    if (!read.isMasterPlaylist) throw new Error('not a multivariant playlist')
    expect(read.variants).to.have.length(1)
    const [variant] = read.variants
    expect(variant).to.deep.include({
      ...{ uri: 'a/video.m3u8?b=c', bandwidth: 2_500_000, averageBandwidth: 2_100_000, frameRate: 29.97 },
      ...{ codecs: 'avc1.64001f,mp4a.40.2', resolution: { width: 1280, height: 720 } },
    })
    expect(variant!.audio.map(({ name, uri, isDefault }) => [name, uri, isDefault])).to.deep.equal([
      ['English, stereo=1', 'a/audio.m3u8?b=c', true],
      ['Zwei', 'a/audio2.m3u8?b=c', false],
    ])
  })

  for (const text of ['a"b', 'a\nb', 'a\rb', 'a\u0085b', 'a\u2029b', '\u0000', '\u001b']) {
    it(`throws at the text ${JSON.stringify(text)}`, () => {
      const [variant] = BARE.variants
      const [audio] = FULL.audio
      const places: readonly Partial<MultivariantPlaylist>[] = [
        { variants: [{ ...variant!, codecs: text }] },
        { variants: [{ ...variant!, audioGroup: text }] },
        ...['groupId', 'name', 'language', 'channels', 'uri'].map((key) => ({ audio: [{ ...audio!, [key]: text }] })),
        { variants: [{ ...variant!, uri: text }] },
      ]
      for (const place of places) {
        expect(() => serializeMultivariantPlaylist({ ...BARE, ...place })).to.throw(RangeError)
      }
    })
  }
})
