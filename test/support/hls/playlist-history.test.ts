import { expect } from 'chai'
import { PlaylistHistory } from './playlist-history.ts'

type Init = {
  readonly sequence: number
  readonly discontinuities?: number
  readonly segments: readonly string[]
  readonly target?: number
  readonly skipped?: number
  readonly end?: string
}

/** A playlist of segments of 2 s; `!` before a name is a discontinuity. */
function playlist({ sequence, discontinuities = 0, segments, target = 2, skipped, end = '' }: Init): string {
  const skip = skipped === undefined ? '' : `#EXT-X-SKIP:SKIPPED-SEGMENTS=${skipped}\n`
  const map = skipped === undefined ? '#EXT-X-MAP:URI="init.mp4"\n' : ''
  const listed = segments.map((name) =>
    name.replace(/^(!?)(.*)$/u, (_, mark, uri) => `${mark && '#EXT-X-DISCONTINUITY\n'}#EXTINF:2,\n${uri}\n`),
  )
  return `#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:${target}
#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=12
#EXT-X-MEDIA-SEQUENCE:${sequence}
#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuities}
${skip}${map}${listed.join('')}${end}`
}

const OPEN = '#EXT-X-PART:DURATION=0.2,URI="e0"\n'
const FIRST = playlist({ sequence: 5, segments: ['a', '!b', 'c', 'd'], end: OPEN })
const PARTS = '#EXT-X-PART:DURATION=0.2,URI="e0"\n#EXT-X-PART:DURATION=0.2,URI="e1"\n'
const HINT = '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="e1"\n'
const OTHER = '#EXT-X-PART:DURATION=0.2,URI="f0"\n'
const WHOLE = '#EXTINF:2,\ne\n'
const ALL = ['a', '!b', 'c', 'd']

const good: readonly (readonly [what: string, then: readonly string[]])[] = [
  ['the same again', [FIRST]],
  ['a part more', [playlist({ sequence: 5, segments: ALL, end: PARTS })]],
  ['a segment whose parts are listed', [playlist({ sequence: 6, segments: ['!b', 'c', 'd'], end: PARTS + WHOLE })]],
  ['a segment whose parts are gone', [playlist({ sequence: 6, segments: ['!b', 'c', 'd', 'e'] })]],
  ['a discontinuity that is removed', [playlist({ sequence: 7, discontinuities: 1, segments: ['c', 'd', 'e'] })]],
  ['a load that comes late', [playlist({ sequence: 20, discontinuities: 3, segments: ['p', 'q', 'r'] })]],
  ['the end', [playlist({ sequence: 5, segments: [...ALL, 'e'], end: '#EXT-X-ENDLIST\n' })]],
  ['the part that was hinted at', [`${FIRST}${HINT}`, playlist({ sequence: 5, segments: ALL, end: PARTS })]],
  [
    'another part than was hinted at, after an interruption',
    [`${FIRST}${HINT}`, playlist({ sequence: 5, segments: ALL, end: `${OPEN}${WHOLE}#EXT-X-DISCONTINUITY\n${OTHER}` })],
  ],
  [
    'a skip of what begins just at the boundary',
    [
      playlist({ sequence: 5, segments: [...ALL, 'e', 'f'] }),
      playlist({ sequence: 5, skipped: 1, segments: ['!b', 'c', 'd', 'e', 'f'] }),
    ],
  ],
  [
    'a delta update',
    [
      playlist({ sequence: 5, segments: [...ALL, 'e', 'f', 'g'] }),
      playlist({ sequence: 6, skipped: 1, segments: ['c', 'd', 'e', 'f', 'g', 'h'] }),
      playlist({ sequence: 6, segments: ['!b', 'c', 'd', 'e', 'f', 'g', 'h'] }),
    ],
  ],
]

const broken: readonly (readonly [what: string, rule: string, line: number, then: readonly string[]])[] = [
  ['another target', 'target-duration-changed', 3, [playlist({ sequence: 5, target: 3, segments: ALL, end: OPEN })]],
  ['an older sequence', 'media-sequence-back', 5, [playlist({ sequence: 4, segments: ALL })]],
  [
    'a segment of another name',
    'segment-changed',
    14,
    [playlist({ sequence: 5, segments: ['a', '!b', 'x', 'd'], end: OPEN })],
  ],
  ['a segment of another duration', 'segment-changed', 9, [FIRST.replace('2,\na', '1.9,\na')]],
  [
    'another init segment',
    'segment-changed',
    17,
    [
      FIRST.replace('#EXTINF:2,\nd', '#EXT-X-MAP:URI="b"\n#EXTINF:2,\nd').replace(
        OPEN,
        '#EXT-X-MAP:URI="init.mp4"\n#EXT-X-PART:DURATION=0.2,URI="e0"\n',
      ),
    ],
  ],
  ['a gap that opened', 'segment-changed', 10, [FIRST.replace('#EXTINF:2,\na', '#EXT-X-GAP\n#EXTINF:2,\na')]],
  [
    'a discontinuity that came later',
    'segment-changed',
    15,
    [playlist({ sequence: 5, segments: ['a', '!b', '!c', 'd'], end: OPEN })],
  ],
  [
    'a segment that moved',
    'segment-changed',
    9,
    [playlist({ sequence: 7, discontinuities: 1, segments: ['d', 'd', 'e'] }).replace('2,\nd', '2,\nc2')],
  ],
  ['a segment too few', 'segment-vanished', 1, [playlist({ sequence: 5, segments: ALL })]],
  ['a part of another name', 'part-changed', 17, [FIRST.replace('e0', 'x0')]],
  [
    'another part than was hinted at',
    'hint-broken',
    18,
    [`${FIRST}${HINT}`, playlist({ sequence: 5, segments: ALL, end: OPEN + OTHER })],
  ],
  ['a part of another duration', 'part-changed', 17, [FIRST.replace('0.2', '0.1')]],
  ['a discontinuity not counted', 'discontinuity-sequence', 6, [playlist({ sequence: 7, segments: ['c', 'd', 'e'] })]],
  [
    'a discontinuity counted early',
    'discontinuity-sequence',
    6,
    [playlist({ sequence: 6, discontinuities: 1, segments: ['!b', 'c', 'd', 'e'] })],
  ],
  ['too short a window', 'window', 5, [playlist({ sequence: 8, discontinuities: 1, segments: ['d', 'e'] })]],
  ['a skip of what was never listed', 'skip-unknown', 7, [playlist({ sequence: 5, skipped: 6, segments: ['x'] })]],
  [
    'a skip too near the end',
    'skip-boundary',
    7,
    [playlist({ sequence: 5, skipped: 1, segments: ['!b', 'c', 'd'], end: OPEN })],
  ],
  [
    'media after the end',
    'changed-after-end',
    1,
    [`${FIRST}#EXT-X-ENDLIST\n`, `${playlist({ sequence: 5, segments: [...ALL, 'e'] })}#EXT-X-ENDLIST\n`],
  ],
  ['no end any more', 'changed-after-end', 1, [`${FIRST}#EXT-X-ENDLIST\n`, FIRST]],
]

function violations(texts: readonly string[]) {
  const history = new PlaylistHistory()
  return texts.flatMap((text) => history.add(text)).map(({ rule, line }) => [rule, line])
}

describe('PlaylistHistory', () => {
  for (const [what, then] of good) {
    it(`takes ${what}`, () => expect(violations([FIRST, ...then])).to.deep.equal([]))
  }

  for (const [what, rule, line, then] of broken) {
    it(`finds ${what}`, () => expect(violations([FIRST, ...then])).to.deep.equal([[rule, line]]))
  }

  for (const [target, count] of [
    [3, 4],
    [1, 2],
  ] as const) {
    it(`finds a window of ${2 * count} s with a target of ${target} s too short`, () => {
      const of = (sequence: number, size: number) =>
        playlist({ sequence, target, segments: Array.from({ length: size }, (_, index) => `${sequence + index}`) })
      expect(violations([of(0, count + 1), of(1, count + 1)])).to.deep.equal([])
      expect(violations([of(0, count + 1), of(1, count)])).to.deep.equal([['window', 5]])
    })
  }

  it('knows the segments that a delta update left out', () => {
    const history = new PlaylistHistory()
    for (const text of [FIRST, playlist({ sequence: 6, skipped: 2, segments: ['d', 'e'] })]) history.add(text)
    expect(history.segments.map(({ sequence, uri, initUri }) => [sequence, uri, initUri])).to.deep.equal(
      ['b', 'c', 'd', 'e'].map((uri, index) => [6 + index, uri, 'init.mp4']),
    )
  })

  describe('checkRemoved', () => {
    const names = Array.from('abcdefghijklmnop')
    const shifted = (count: number) => playlist({ sequence: count, segments: names.slice(count, count + 4) })

    async function askedFor(loads: number): Promise<string[]> {
      const history = new PlaylistHistory()
      for (let count = 0; count <= loads; count++) expect(history.add(shifted(count))).to.deep.equal([])
      const asked: string[] = []
      await history.checkRemoved(async (uri) => asked.push(uri) > 0)
      return asked.toSorted()
    }

    it('asks for nothing before something was removed', async () => expect(await askedFor(0)).to.deep.equal([]))

    it('asks for what was removed less than its own and the longest playlist’s duration ago', async () => {
      expect(await askedFor(2)).to.deep.equal(['a', 'b', 'init.mp4'])
      expect(await askedFor(5)).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'init.mp4'])
      expect(await askedFor(8)).to.deep.equal(['d', 'e', 'f', 'g', 'h', 'init.mp4'])
    })

    it('asks for no file of a gap', async () => {
      const history = new PlaylistHistory()
      history.add(shifted(0).replace('#EXTINF:2,\na', '#EXT-X-GAP\n#EXTINF:2,\na'))
      history.add(shifted(1))
      expect(await history.checkRemoved(async () => false)).to.deep.equal([])
    })

    it('finds those that are gone', async () => {
      const history = new PlaylistHistory()
      for (let count = 0; count <= 3; count++) history.add(shifted(count))
      const found = await history.checkRemoved(async (uri) => uri !== 'b')
      expect(found.map(({ rule, detail }) => [rule, detail])).to.deep.equal([['removed-gone', 'b']])
    })
  })
})
