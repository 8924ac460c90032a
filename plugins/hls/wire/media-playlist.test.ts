import { expect } from 'chai'
import fc from 'fast-check'
import * as HLS from 'hls-parser'
import { EMPTY, HEADER, hint, LOW_LATENCY, MEDIA_CASES, part, segment } from './fixtures/playlist-cases.ts'
import { serializeMediaPlaylist, type MediaPlaylist } from './media-playlist.ts'

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
      uri,
      duration,
      hint: false,
      independent: independent || undefined,
    })),
  }))
  own.at(-1)!.parts.push({ uri: hint, duration: undefined as never, hint: true, independent: undefined })
  // The reader fills in the part of a report without one.
  const reports = renditionReports.map((report) => ({ lastPart: 1, ...report }))
  return { ...rest, skippedSegments, segments: own, reports }
}

describe('serializeMediaPlaylist', () => {
  for (const [name, playlist, lines] of MEDIA_CASES) {
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
