import { expect } from 'chai'
import { validateMediaPlaylist } from './media-rules.ts'

const TS = `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:2
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA-SEQUENCE:5
#EXT-X-DISCONTINUITY-SEQUENCE:0
#EXT-X-PROGRAM-DATE-TIME:2026-11-21T07:51:04.000Z
#EXTINF:2.4,
5.ts
#EXT-X-PROGRAM-DATE-TIME:2026-11-21T07:51:06.400Z
#EXTINF:1.6,
6.ts
#EXT-X-DISCONTINUITY
#EXT-X-PROGRAM-DATE-TIME:2026-11-21T07:55:00.000Z
#EXTINF:2,
7.ts
`
const LOW_LATENCY = `#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:1
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=6,HOLD-BACK=3,PART-HOLD-BACK=0.6
#EXT-X-PART-INF:PART-TARGET=0.2
#EXT-X-MEDIA-SEQUENCE:5
#EXT-X-DISCONTINUITY-SEQUENCE:0
#EXT-X-MAP:URI="a.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-11-21T07:51:04.000Z
#EXTINF:1,
5.m4s
#EXTINF:1,
6.m4s
#EXTINF:1,
7.m4s
#EXT-X-PART:DURATION=0.2,URI="8.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.17,URI="8.1.m4s"
#EXT-X-PART:DURATION=0.05,URI="8.2.m4s"
#EXTINF:0.42,
8.m4s
#EXT-X-MAP:URI="b.mp4"
#EXT-X-PART:DURATION=0.2,URI="9.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.2,URI="9.1.m4s"
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="9.2.m4s"
#EXT-X-RENDITION-REPORT:URI="audio.m3u8",LAST-MSN=9,LAST-PART=1
`

type Broken = readonly [what: string, from: string | RegExp, to: string, rule: string, line: number]

const brokenTs: readonly Broken[] = [
  ['another first line', '#EXTM3U\n', '', 'first-line', 1],
  ['a carriage return', '5.ts', '5.ts\r', 'uri', 9],
  ['a space in a URI', '6.ts', '6 .ts', 'uri', 12],
  ['a tag that is none', '#EXT-X-DISCONTINUITY\n', '#EXT-X-DISCO\n#EXT-X-DISCONTINUITY\n', 'unknown-tag', 13],
  ['a tag twice', '#EXT-X-VERSION:3\n', '#EXT-X-VERSION:3\n#EXT-X-VERSION:3\n', 'repeated-tag', 3],
  ['a tag that comes late', /(#EXT-X-DISCONTINUITY-SEQUENCE:0\n)([^]*5.ts\n)/u, '$2$1', 'late-tag', 9],
  ['no version', '#EXT-X-VERSION:3\n', '', 'version', 1],
  ['too old a version', 'VERSION:3', 'VERSION:2', 'version', 2],
  ['no target duration', '#EXT-X-TARGETDURATION:2\n', '', 'target-duration', 1],
  ['a target duration with a fraction', 'DURATION:2', 'DURATION:2.5', 'target-duration', 1],
  ['no media sequence', '#EXT-X-MEDIA-SEQUENCE:5\n', '', 'media-sequence', 1],
  ['segments that may depend on others', '#EXT-X-INDEPENDENT-SEGMENTS\n', '', 'independent-segments', 1],
  ['a segment that is too long', '#EXTINF:2,', '#EXTINF:2.5,', 'segment-duration', 16],
  ['a segment without EXTINF', '#EXTINF:2,\n', '', 'extinf', 15],
  ['a segment of no duration', '#EXTINF:2,', '#EXTINF:0,', 'extinf', 16],
  ['EXTINF without a segment', /7.ts\n$/u, '', 'extinf', 15],
  ['the same segment twice', '6.ts', '5.ts', 'repeated-uri', 12],
  ['no wall clock', /#EXT-X-PROGRAM.*\n/gu, '', 'program-date-time', 1],
  ['a wall clock that runs ahead', '06.400Z', '06.500Z', 'program-date-time', 12],
  ['too old a version for a gap', '#EXT-X-DISCONTINUITY\n', '#EXT-X-DISCONTINUITY\n#EXT-X-GAP\n', 'version', 2],
  ['a date that is none', '2026-11-21T07:55', 'yesterday', 'program-date-time', 16],
]

const broken: readonly Broken[] = [
  ['no init segment', '#EXT-X-MAP:URI="a.mp4"\n', '', 'map', 11],
  ['too old a version for an init segment', 'VERSION:9', 'VERSION:5', 'version', 2],
  ['an attribute without quotes', '"a.mp4"', 'a.mp4', 'attributes', 9],
  ['a number within quotes', 'DURATION=0.17', 'DURATION="0.17"', 'attributes', 18],
  ['an attribute twice', 'LAST-PART=1', 'LAST-PART=1,LAST-PART=1', 'attributes', 26],
  ['no list of attributes', 'LAST-PART=1', 'LAST-PART=1,', 'attributes', 26],
  ['no part target', '#EXT-X-PART-INF:PART-TARGET=0.2\n', '', 'part-target', 16],
  ['a part that is too long', /0\.17(.*)([^]*)0\.42/u, '0.22$1$20.47', 'part-duration', 18],
  ['a part that is too short', /0\.17(.*)([^]*)0\.42/u, '0.16$1$20.41', 'part-duration', 18],
  ['a part without a URI', 'URI="9.1.m4s"', 'BYTERANGE="1"', 'part', 24],
  ['a part of no duration', 'DURATION=0.2,URI="9.1', 'DURATION=0,URI="9.1', 'part', 24],
  ['a first part that depends on others', 'URI="8.0.m4s",INDEPENDENT=YES', 'URI="8.0.m4s"', 'part-independent', 17],
  ['parts in a gap', '#EXTINF:0.42', '#EXT-X-GAP\n#EXTINF:0.42', 'gap', 22],
  ['parts shorter than their segment', '#EXTINF:0.42', '#EXTINF:0.43', 'parts-sum', 21],
  [
    'parts of an old segment',
    /#EXTINF:1,\n5([^]*)1,\n7/u,
    '#EXT-X-PART:DURATION=0.2,URI="5.0",INDEPENDENT=YES\n#EXTINF:0.2,\n5$11.4,\n7',
    'old-parts',
    13,
  ],
  ['no hint', /#EXT-X-PRELOAD.*\n/u, '', 'hint', 1],
  ['two hints', /(#EXT-X-PRELOAD.*\n)/u, '$1$1', 'hint', 26],
  ['a hint of what is there', '9.2.m4s', '9.1.m4s', 'hint', 25],
  ['a hint of another type', /$/u, '#EXT-X-PRELOAD-HINT:TYPE=CAKE,URI="c.mp4"\n', 'hint', 27],
  ['a hint after the end', /$/u, '#EXT-X-ENDLIST\n', 'hint', 25],
  ['a report with an address of its own', '"audio.m3u8"', '"http://b/audio.m3u8"', 'report', 26],
  ['a report without a segment', 'LAST-MSN=9,', '', 'report', 26],
  ['a report without a part', ',LAST-PART=1', '', 'report', 26],
  ['reloads that do not block', 'CAN-BLOCK-RELOAD=YES,', '', 'block-reload', 5],
  ['no distance for parts', ',PART-HOLD-BACK=0.6', '', 'part-hold-back', 5],
  ['too short a distance for parts', 'PART-HOLD-BACK=0.6', 'PART-HOLD-BACK=0.5', 'part-hold-back', 5],
  ['too short a distance', 'HOLD-BACK=3', 'HOLD-BACK=2.9', 'hold-back', 5],
  ['too early a skip', 'UNTIL=6', 'UNTIL=5', 'can-skip-until', 5],
  [
    'a skip that was not offered',
    /CAN-SKIP-UNTIL=6,([^]*SEQUENCE:0\n)/u,
    '$1#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n',
    'can-skip-until',
    5,
  ],
  ['a skip of nothing', /(SEQUENCE:0\n)/u, '$1#EXT-X-SKIP:SKIPPED-SEGMENTS=0\n', 'skip', 9],
  [
    'too old a version for a skip',
    /VERSION:9([^]*SEQUENCE:0\n)/u,
    'VERSION:8$1#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n',
    'version',
    2,
  ],
]

describe('validateMediaPlaylist', () => {
  it('finds nothing in good playlists', () => {
    expect(validateMediaPlaylist(TS, { format: 'ts' })).to.deep.equal([])
    expect(validateMediaPlaylist(`${TS}#EXT-X-ENDLIST\n`, { format: 'ts' })).to.deep.equal([])
    expect(validateMediaPlaylist(LOW_LATENCY, { format: 'fmp4', lowLatency: true })).to.deep.equal([])
    const gap = LOW_LATENCY.replace('#EXTINF:1,\n7', '#EXT-X-GAP\n#EXTINF:1,\n7')
    expect(validateMediaPlaylist(gap, { format: 'fmp4', lowLatency: true })).to.deep.equal([])
    const old = '#EXT-X-PART:DURATION=0.2,URI="5.0",INDEPENDENT=YES\n#EXTINF:0.2,\n5'
    const withOldParts = LOW_LATENCY.replace('#EXTINF:1,\n5', old)
    expect(validateMediaPlaylist(withOldParts, { format: 'fmp4', lowLatency: true })).to.deep.equal([])
    const delta = LOW_LATENCY.replace(
      /#EXT-X-MAP:URI="a[^]*6.m4s\n/u,
      '#EXT-X-SKIP:SKIPPED-SEGMENTS=2\n#EXT-X-PROGRAM-DATE-TIME:2026-11-21T07:51:06.000Z\n',
    )
    expect(validateMediaPlaylist(delta, { format: 'fmp4', lowLatency: true })).to.deep.equal([])
  })

  it('wants parts of what has low latency', () => {
    const found = validateMediaPlaylist(TS, { format: 'ts', lowLatency: true })
    expect(found.map(({ rule }) => rule)).to.deep.equal(['parts', 'hint', 'block-reload', 'part-hold-back'])
  })

  for (const [text, kind, cases] of [
    [TS, { format: 'ts' }, brokenTs],
    [LOW_LATENCY, { format: 'fmp4', lowLatency: true }, broken],
  ] as const) {
    for (const [what, from, to, rule, line] of cases) {
      it(`finds ${what} in ${kind.format}`, () => {
        const found = validateMediaPlaylist(text.replace(from, to), kind)
        expect(found.map((violation) => [violation.rule, violation.line])).to.deep.equal([[rule, line]])
      })
    }
  }
})
