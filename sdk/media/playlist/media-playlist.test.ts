import { expect } from 'chai'
import fc from 'fast-check'
import * as HLS from 'hls-parser'
import { serializeMediaPlaylist, type MediaPlaylist, type MediaSegment } from './media-playlist.ts'

const START_MS = Date.UTC(2026, 10, 21, 7, 51, 4, 40)

const EMPTY: MediaPlaylist = {
  version: 6,
  targetDurationSeconds: 2,
  mediaSequence: 0,
  discontinuitySequence: 0,
  independentSegments: false,
  segments: [],
  ended: false,
}
const HEADER = [
  '#EXTM3U',
  '#EXT-X-VERSION:6',
  '#EXT-X-TARGETDURATION:2',
  '#EXT-X-MEDIA-SEQUENCE:0',
  '#EXT-X-DISCONTINUITY-SEQUENCE:0',
]

const part = (uri: string, independent = false) => ({ uri, durationSeconds: 0.2, independent })
const hint = (uri: string) => ({ type: 'PART' as const, uri })
const segment = (uri: string, more: Partial<MediaSegment> = {}): MediaSegment => ({
  uri,
  durationSeconds: 2,
  programDateTimeMs: START_MS,
  initUri: 'a.mp4',
  ...more,
})

const LOW_LATENCY: MediaPlaylist = {
  version: 9,
  targetDurationSeconds: 2,
  mediaSequence: 1_795_247_464,
  discontinuitySequence: 1_795_247_460,
  independentSegments: true,
  partTargetSeconds: 0.2,
  serverControl: { canBlockReload: true, partHoldBackSeconds: 0.6, holdBackSeconds: 6, canSkipUntilSeconds: 12 },
  segments: [
    segment('0.m4s'),
    segment('1.m4s', { durationSeconds: 1.920_011 }),
    segment('2.m4s', { initUri: 'b.mp4', discontinuity: true, parts: [part('2.0.m4s', true), part('2.1.m4s')] }),
    { durationSeconds: 0, initUri: 'b.mp4', parts: [part('3.0.m4s', true)] },
  ],
  preloadHint: hint('3.1.m4s'),
  renditionReports: [
    { uri: 'audio.m3u8', lastMsn: 1_795_247_467, lastPart: 0 },
    { uri: 'audio2.m3u8', lastMsn: 1_795_247_467 },
  ],
  ended: false,
}

const LOW_LATENCY_HEADER = [
  '#EXTM3U',
  '#EXT-X-VERSION:9',
  '#EXT-X-TARGETDURATION:2',
  '#EXT-X-INDEPENDENT-SEGMENTS',
  '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=12,HOLD-BACK=6,PART-HOLD-BACK=0.6',
  '#EXT-X-PART-INF:PART-TARGET=0.2',
  '#EXT-X-MEDIA-SEQUENCE:1795247464',
  '#EXT-X-DISCONTINUITY-SEQUENCE:1795247460',
]
const LAST_SEGMENTS = [
  '#EXT-X-DISCONTINUITY',
  '#EXT-X-MAP:URI="b.mp4"',
  '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T07:51:04.040Z',
  '#EXT-X-PART:DURATION=0.2,URI="2.0.m4s",INDEPENDENT=YES',
  '#EXT-X-PART:DURATION=0.2,URI="2.1.m4s"',
  '#EXTINF:2,',
  '2.m4s',
  '#EXT-X-PART:DURATION=0.2,URI="3.0.m4s",INDEPENDENT=YES',
  '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="3.1.m4s"',
  '#EXT-X-RENDITION-REPORT:URI="audio.m3u8",LAST-MSN=1795247467,LAST-PART=0',
  '#EXT-X-RENDITION-REPORT:URI="audio2.m3u8",LAST-MSN=1795247467',
]

const cases: readonly (readonly [name: string, playlist: MediaPlaylist, lines: readonly string[]])[] = [
  ['no segment', EMPTY, HEADER],
  ['an end', { ...EMPTY, ended: true }, [...HEADER, '#EXT-X-ENDLIST']],
  [
    'segments that need no init segment',
    {
      ...EMPTY,
      segments: [
        { uri: '0.ts', durationSeconds: 1.5 },
        { uri: '1.ts', durationSeconds: 2.000_000_4 },
      ],
    },
    [...HEADER, '#EXTINF:1.5,', '0.ts', '#EXTINF:2,', '1.ts'],
  ],
  [
    'a gap',
    { ...EMPTY, segments: [{ uri: '0.ts', durationSeconds: 2, discontinuity: true, gap: true }] },
    [...HEADER, '#EXT-X-DISCONTINUITY', '#EXT-X-GAP', '#EXTINF:2,', '0.ts'],
  ],
  [
    'low latency, with all that belongs to it',
    LOW_LATENCY,
    [
      ...LOW_LATENCY_HEADER,
      '#EXT-X-MAP:URI="a.mp4"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T07:51:04.040Z',
      '#EXTINF:2,',
      '0.m4s',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T07:51:04.040Z',
      '#EXTINF:1.920011,',
      '1.m4s',
      ...LAST_SEGMENTS,
    ],
  ],
  [
    'low latency, while nothing is known to come',
    { ...EMPTY, partTargetSeconds: 0.2, segments: [{ uri: '0.m4s', durationSeconds: 2 }] },
    [
      ...HEADER.slice(0, 3),
      '#EXT-X-PART-INF:PART-TARGET=0.2',
      ...HEADER.slice(3),
      '#EXTINF:2,',
      '0.m4s',
      '# to be continued',
    ],
  ],
  [
    'a delta update',
    { ...LOW_LATENCY, skippedSegments: 2, segments: LOW_LATENCY.segments.slice(2) },
    [...LOW_LATENCY_HEADER, '#EXT-X-SKIP:SKIPPED-SEGMENTS=2', ...LAST_SEGMENTS],
  ],
  [
    'a server that can only hold back',
    { ...EMPTY, serverControl: { canBlockReload: false, holdBackSeconds: 6.5 } },
    [...HEADER.slice(0, 3), '#EXT-X-SERVER-CONTROL:HOLD-BACK=6.5', ...HEADER.slice(3)],
  ],
  ['a server that can do nothing', { ...EMPTY, serverControl: { canBlockReload: false } }, HEADER],
  [
    'the hint of an init segment',
    { ...EMPTY, preloadHint: { type: 'MAP', uri: 'b.mp4' } },
    [...HEADER, '#EXT-X-PRELOAD-HINT:TYPE=MAP,URI="b.mp4"'],
  ],
]

/** What another reader takes from a playlist, as what it was made of. */
function read(text: string) {
  const playlist = HLS.parse(text)
  if (playlist.isMasterPlaylist) throw new Error('not a media playlist')
  const { lowLatencyCompatibility: control } = playlist
  return {
    version: playlist.version,
    targetDurationSeconds: playlist.targetDuration,
    mediaSequence: playlist.mediaSequenceBase,
    discontinuitySequence: playlist.discontinuitySequenceBase,
    independentSegments: playlist.independentSegments,
    partTargetSeconds: playlist.partTargetDuration,
    skippedSegments: playlist.skip,
    serverControl: control && {
      canBlockReload: control.canBlockReload,
      partHoldBackSeconds: control.partHoldBack,
      holdBackSeconds: control.holdBack,
      canSkipUntilSeconds: control.canSkipUntil,
    },
    segments: playlist.segments.map(readSegment),
    reports: playlist.renditionReports.map(({ uri, lastMSN, lastPart }) => ({ uri, lastMsn: lastMSN, lastPart })),
    ended: playlist.endlist,
  }
}

function readSegment(segment: HLS.types.Segment) {
  return {
    uri: segment.uri,
    durationSeconds: segment.duration,
    programDateTimeMs: segment.programDateTime?.getTime(),
    discontinuity: segment.discontinuity === true,
    initUri: segment.map?.uri,
    parts: segment.parts.map(({ uri, duration, independent, hint }) => ({ uri, duration, independent, hint })),
  }
}

/** The same of a playlist that is to be written. */
function wanted(playlist: MediaPlaylist, hint: string) {
  const { preloadHint: _, renditionReports = [], skippedSegments = 0, segments, ...rest } = playlist
  const own = segments.map((segment) => ({
    uri: segment.uri ?? '',
    durationSeconds: segment.uri === undefined ? undefined : segment.durationSeconds,
    programDateTimeMs: segment.programDateTimeMs,
    discontinuity: segment.discontinuity === true,
    // The reader forgets it at a segment that is still being made.
    initUri: segment.uri === undefined ? undefined : segment.initUri,
    parts: (segment.parts ?? []).map(({ uri, durationSeconds: duration, independent }) => ({
      ...{ uri, duration, hint: false, independent: independent || undefined },
    })),
  }))
  own.at(-1)!.parts.push({ uri: hint, duration: undefined as never, hint: true, independent: undefined })
  // The reader fills in the part of a report without one.
  const reports = renditionReports.map((report) => ({ lastPart: 1, ...report }))
  return { ...rest, skippedSegments, segments: own, reports }
}

describe('serializeMediaPlaylist', () => {
  for (const [name, playlist, lines] of cases) {
    it(`writes ${name}`, () => {
      expect(serializeMediaPlaylist(playlist).split('\n')).to.deep.equal([...lines, ''])
    })
  }

  for (const [name, playlist] of [
    ['whole', LOW_LATENCY],
    ['as a delta update', { ...LOW_LATENCY, skippedSegments: 1, segments: LOW_LATENCY.segments.slice(1) }],
  ] as const) {
    it(`is read by hls-parser, ${name}, as what was written`, () => {
      expect(read(serializeMediaPlaylist(playlist))).to.deep.equal(wanted(playlist, '3.1.m4s'))
    })
  }

  it('puts every URI through the caller', () => {
    const bare = serializeMediaPlaylist(LOW_LATENCY)
    const addressed = serializeMediaPlaylist(LOW_LATENCY, (uri) => `../${uri}?secret=a,b`)
    expect(addressed).to.equal(bare.replaceAll(/[\w.]+\.(?:m4s|mp4|m3u8)/gu, '../$&?secret=a,b'))
  })

  it('writes a new init segment and the return to an old one', () => {
    const inits = ['a.mp4', 'a.mp4', 'b.mp4', 'a.mp4']
    const text = serializeMediaPlaylist({ ...EMPTY, segments: inits.map((initUri) => segment('x', { initUri })) })
    expect(text.match(/MAP:URI="."?.*(?=")/gu)).to.deep.equal(['MAP:URI="a.mp4', 'MAP:URI="b.mp4', 'MAP:URI="a.mp4'])
  })

  describe('of values that would be read as something else', () => {
    for (const uri of ['', 'a b', 'a"b', 'a\nb', 'a\r', '\u2028', 'a\u0000', '#EXT-X-ENDLIST']) {
      const places: readonly (readonly [string, Partial<MediaPlaylist>])[] = [
        ['segment', { segments: [{ uri, durationSeconds: 1 }] }],
        ['init segment', { segments: [segment('a', { initUri: uri })] }],
        ['part', { segments: [{ durationSeconds: 1, parts: [part(uri)] }] }],
        ['hint', { preloadHint: hint(uri) }],
        ['report', { renditionReports: [{ uri, lastMsn: 1 }] }],
      ]
      it(`throws at the URI ${JSON.stringify(uri)}`, () => {
        for (const [name, place] of places) {
          expect(() => serializeMediaPlaylist({ ...EMPTY, ...place }), name).to.throw(RangeError, 'no URI')
        }
      })
    }

    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e21]) {
      it(`throws at the number ${value}`, () => {
        const places: readonly Partial<MediaPlaylist>[] = [
          { mediaSequence: value },
          { targetDurationSeconds: value },
          { partTargetSeconds: value },
          { segments: [segment('a', { durationSeconds: value })] },
          { serverControl: { canBlockReload: true, holdBackSeconds: value } },
        ]
        for (const place of places) {
          expect(() => serializeMediaPlaylist({ ...EMPTY, ...place })).to.throw(RangeError, String(value))
        }
      })
    }

    it('throws at any URI that would not be read as it is', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (uri) => {
          const one = { ...EMPTY, segments: [{ uri, durationSeconds: 1, parts: [part(uri)] }], preloadHint: hint('p') }
          let text: string
          try {
            text = serializeMediaPlaylist(one)
          } catch (error) {
            expect(error).to.be.instanceOf(RangeError)
            return
          }
          const lines = text.split(/[\r\n\u2028\u2029]/u)
          const own = [`#EXT-X-PART:DURATION=0.2,URI="${uri}"`, '#EXTINF:1,', uri]
          expect(lines).to.deep.equal([...HEADER, ...own, '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p"', ''])
          expect(uri).to.match(/^[^#"\s][^"\s]*$/u)
        }),
      )
    })

    it('throws at a target duration with a fraction, and at a time that is none', () => {
      expect(() => serializeMediaPlaylist({ ...EMPTY, targetDurationSeconds: 2.5 })).to.throw(RangeError, '2.5')
      const segments = [segment('a', { programDateTimeMs: Number.NaN })]
      expect(() => serializeMediaPlaylist({ ...EMPTY, segments })).to.throw(RangeError)
    })
  })
})
