import { expect } from 'chai'
import * as HLS from 'hls-parser'
import type { Track } from 'sluice/sdk'
import { BARE, FULL, MULTIVARIANT_CASES } from './fixtures/playlist-cases.ts'
import { codecsOf, serializeMultivariantPlaylist, type MultivariantPlaylist } from './multivariant-playlist.ts'

describe('serializeMultivariantPlaylist', () => {
  for (const [name, playlist, lines] of MULTIVARIANT_CASES) {
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
      uri: 'a/video.m3u8?b=c',
      bandwidth: 25e5,
      averageBandwidth: 21e5,
      frameRate: 29.97,
      codecs: 'avc1.64001f,mp4a.40.2',
      resolution: {
        width: 1280,
        height: 720,
      },
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

describe('codecsOf', () => {
  /** What a configuration says of itself, and what HLS calls it (Apple's authoring specification). */
  const cases = [
    ['h264', 'avc1.64000a', 'avc1.64000a'],
    ['ac3', 'ac-3', 'ac-3'],
    ['opus', 'opus', 'opus'],
    ['flac', 'flac', 'fLaC'],
    ['mp3', 'mp3', 'mp4a.40.34'],
  ] as const
  for (const [codec, codecString, codecs] of cases) {
    it(`says ${codecs} of ${codec}`, () => {
      const track = { id: 0, codec, timescale: 1000, config: { codecString } }
      expect(codecsOf(track as unknown as Track)).to.equal(codecs)
    })
  }
})
