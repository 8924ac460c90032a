import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../test/support/soak.ts'
import { MEDIA_CASES, MULTIVARIANT_CASES } from './fixtures/playlist-cases.ts'
import type { MediaPlaylist } from './media-playlist.ts'
import { MAX_SEGMENTS, parseSourcePlaylist, type SourceMediaPlaylist, type SourceVariants } from './source-playlist.ts'

const media = (...lines: readonly string[]) => parseSourcePlaylist(lines.join('\n')) as SourceMediaPlaylist
const variants = (...lines: readonly string[]) => parseSourcePlaylist(lines.join('\n')) as SourceVariants

/** What a written playlist says to a reader of whole segments. */
function written({ segments, ...playlist }: MediaPlaylist) {
  let discontinuity = playlist.discontinuitySequence
  let sequence = playlist.mediaSequence
  const whole = segments.flatMap(({ uri, durationSeconds, discontinuity: breaks, gap = false, initUri }) => {
    if (breaks === true) discontinuity += 1
    const rounded = Number(durationSeconds.toFixed(6))
    if (uri === undefined) return []
    return [{ uri, durationSeconds: rounded, sequence: sequence++, discontinuity, gap, initUri }]
  })
  return { targetDurationSeconds: playlist.targetDurationSeconds, ended: playlist.ended, segments: whole }
}

/** The same of what was read. */
function overlap({ targetDurationSeconds, ended, segments }: SourceMediaPlaylist) {
  const whole = segments.map(({ uri, durationSeconds, sequence, discontinuity, gap, init }) => {
    return { uri, durationSeconds, sequence, discontinuity, gap, initUri: init?.uri }
  })
  return { targetDurationSeconds, ended, segments: whole }
}

describe('parseSourcePlaylist', () => {
  for (const [name, playlist, lines] of MEDIA_CASES) {
    it(`reads what is written of ${name}`, () => {
      expect(overlap(media(...lines))).to.eql(written(playlist))
    })
  }

  for (const [name, playlist, lines] of MULTIVARIANT_CASES) {
    it(`reads what is written of ${name}, in a multivariant playlist`, () => {
      const read = variants(...lines)
      expect(read.variants).to.eql(
        playlist.variants.map(({ uri, bandwidth, height = 0, codecs = '', audioGroup }) => {
          return { uri, bandwidth, height, codecs: codecs.split(',').filter((codec) => codec !== ''), audioGroup }
        }),
      )
      expect(read.audio).to.eql(
        playlist.audio.map(({ groupId, default: isDefault, uri }) => ({ group: groupId, isDefault, uri })),
      )
    })
  }

  it('reads what a live playlist says', () => {
    const playlist = media(
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-TARGETDURATION:4',
      '#EXT-X-MEDIA-SEQUENCE:17',
      '#EXT-X-DISCONTINUITY-SEQUENCE:3',
      '#EXT-X-MAP:URI="init.mp4?x=1",BYTERANGE="700@0"',
      '#EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x1F',
      '#EXTINF:3.96,a title',
      'a.m4s',
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-KEY:METHOD=NONE',
      '#EXTINF:4',
      'https://cdn/b.m4s?t=2',
      '#EXT-X-GAP',
      '#EXTINF:4,',
      'c.m4s',
      '#EXT-X-PART:DURATION=0.2,URI="d1.m4s"',
    )
    expect(playlist).to.deep.include({ kind: 'media', targetDurationSeconds: 4, hasSequence: true, ended: false })
    const init = { uri: 'init.mp4?x=1', range: { offset: 0, sizeBytes: 700 }, key: undefined }
    const key = { method: 'AES-128', uri: 'key', iv: '0x1F', format: 'identity' }
    const common = { range: undefined, init }
    expect(playlist.segments).to.eql([
      { ...common, uri: 'a.m4s', durationSeconds: 3.96, sequence: 17, discontinuity: 3, key, gap: false },
      {
        ...common,
        uri: 'https://cdn/b.m4s?t=2',
        durationSeconds: 4,
        sequence: 18,
        discontinuity: 4,
        key: undefined,
        gap: false,
      },
      { ...common, uri: 'c.m4s', durationSeconds: 4, sequence: 19, discontinuity: 4, key: undefined, gap: true },
    ])
  })

  it('follows parts of a file that do not say where they begin', () => {
    const { segments, ended } = media(
      '#EXTM3U',
      '#EXT-X-TARGETDURATION:2',
      '#EXT-X-BYTERANGE:100@50',
      '#EXTINF:2,',
      'all.ts',
      '#EXT-X-BYTERANGE:30',
      '#EXTINF:2,',
      'all.ts',
      '#EXT-X-ENDLIST',
    )
    expect(segments.map(({ range }) => range)).to.eql([
      { offset: 50, sizeBytes: 100 },
      { offset: 150, sizeBytes: 30 },
    ])
    expect(ended).to.equal(true)
  })

  it('takes odd playlists as well as they can be taken', () => {
    const odd = '\uFEFF#EXTM3U\r\n#EXT-X-UNHEARD:OF\r\n\r\n#EXTINF:abc,\r\n a.ts \r\n#EXTINF:-3\r\nb.ts\r\nc.ts\r\n'
    const playlist = parseSourcePlaylist(odd) as SourceMediaPlaylist
    expect(playlist).to.deep.include({ targetDurationSeconds: 6, hasSequence: false })
    expect(playlist.segments.map(({ uri, durationSeconds }) => [uri, durationSeconds])).to.eql([
      ['a.ts', 6],
      ['b.ts', 6],
      ['c.ts', 6],
    ])
    expect(media('#EXTINF:7.2,', 'a.ts').targetDurationSeconds).to.equal(8)
    expect(media('#EXTM3U', '#EXT-X-TARGETDURATION:99999').targetDurationSeconds).to.equal(60)
    expect(media('#EXTM3U', '#EXT-X-TARGETDURATION:0.2').targetDurationSeconds).to.equal(1)
  })

  it('reads variants and their sound', () => {
    const playlist = variants(
      '#EXTM3U',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",DEFAULT=YES,URI="a/x.m3u8"',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="y, z"',
      '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",URI="s"',
      '#EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=640x360,AUDIO="a"',
      'low.m3u8',
      '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i.m3u8"',
      '#EXT-X-STREAM-INF:',
      'plain.m3u8',
    )
    expect(playlist.audio).to.eql([
      { group: 'a', isDefault: true, uri: 'a/x.m3u8' },
      { group: 'a', isDefault: false, uri: undefined },
    ])
    const codecs = ['avc1.64001f', 'mp4a.40.2']
    expect(playlist.variants).to.eql([
      { uri: 'low.m3u8', bandwidth: 800_000, height: 360, codecs, audioGroup: 'a' },
      { uri: 'plain.m3u8', bandwidth: 0, height: 0, codecs: [], audioGroup: undefined },
    ])
  })

  it('refuses what is none, or longer than any', () => {
    expect(() => parseSourcePlaylist('<html>\n# Not found\n</html>')).to.throw(MalformedError)
    expect(() => parseSourcePlaylist('')).to.throw(MalformedError)
    expect(() => parseSourcePlaylist(`#EXTM3U\n${'a.ts\n'.repeat(MAX_SEGMENTS + 1)}`)).to.throw(MalformedError)
  })

  it('reads anything or says that it is malformed', () => {
    const words = [
      '#EXTM3U',
      '#EXTINF:',
      '#EXT-X-KEY:',
      'METHOD=',
      '"',
      ',',
      '=',
      '@',
      '#EXT-X-MAP:URI="',
      '\n',
      '9e99',
      '-',
    ]
    const tags = [
      '#EXT-X-BYTERANGE:',
      '#EXT-X-MEDIA-SEQUENCE:',
      '#EXT-X-STREAM-INF:',
      '#EXT-X-MEDIA:TYPE=AUDIO,',
      'a.ts\n',
    ]
    const text = fc.array(fc.oneof(fc.constantFrom(...words, ...tags), fc.string())).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (text) => {
        try {
          const playlist = parseSourcePlaylist(text)
          if (playlist.kind !== 'media') return
          for (const { durationSeconds, sequence } of playlist.segments) {
            expect(durationSeconds).to.be.greaterThan(0)
            expect(Number.isSafeInteger(Math.round(sequence))).to.equal(true)
          }
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error
        }
      }),
      { numRuns: rounds(1000) },
    )
  })
})
