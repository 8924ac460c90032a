import { expect } from 'chai'
import fc from 'fast-check'
import { validateMediaPlaylist } from '../../../test/support/hls/media-rules.ts'
import { PlaylistHistory } from '../../../test/support/hls/playlist-history.ts'
import { rounds } from '../../../test/support/soak.ts'
import { serializeMediaPlaylist } from '../wire/media-playlist.ts'
import { MadeRendition } from './fixtures/made-rendition.ts'
import { findSplicePoint } from './splice-point.ts'
import { SplicedRendition } from './spliced-rendition.ts'

const WINDOW = 7

describe('a rendition that is spliced of those of several presentations', () => {
  let sources: MadeRendition[]
  let ended: boolean
  const splice = (home: MadeRendition): SplicedRendition => {
    const spliced: SplicedRendition = new SplicedRendition(home, {
      window: WINDOW,
      all: { [Symbol.iterator]: () => [spliced].values() },
      isEnded: () => ended,
      isThere: (uri) => sources.some((source) => source.isThere(uri)),
    })
    return spliced
  }
  const advance = (source: MadeRendition, parts: number) => {
    for (let part = 0; part < parts; part++) source.advance()
  }
  const uris = (spliced: SplicedRendition) => spliced.playlist({ skip: false }).segments.map(({ uri }) => uri)

  beforeEach(() => {
    ended = false
    sources = ['a', 'b'].map((id, index) => new MadeRendition({ id, firstMsn: 100 * (index + 1) }))
    for (const source of sources) advance(source, 10)
  })

  it('is that of the first, as long as nothing else is said', () => {
    const [a] = sources as [MadeRendition]
    const spliced = splice(a)
    for (let part = 0; part < 40; part++) {
      const { lastMsn, lastPart } = a
      expect({ lastMsn: spliced.lastMsn, lastPart: spliced.lastPart }).to.eql({ lastMsn, lastPart })
      const { segments, mediaSequence, preloadHint } = a.playlist()
      const playlist = spliced.playlist({ skip: false })
      expect(playlist).to.deep.include({ mediaSequence, preloadHint })
      expect(playlist.segments.map(({ uri }) => uri)).to.eql(segments.map(({ uri }) => uri))
      a.advance()
      spliced.take()
    }
  })

  it('goes on with the other at the end of a segment, by its own numbers', () => {
    const [a, b] = sources as [MadeRendition, MadeRendition]
    const spliced = splice(a)
    expect(spliced.shownMsn).to.equal(102)
    spliced.limit(102)
    advance(a, 3)
    spliced.take()
    expect([spliced.isAtLimit, spliced.lastMsn, spliced.lastPart]).to.eql([true, 102, -1])
    expect(spliced.playlist({ skip: false }).preloadHint).to.equal(undefined)
    expect(spliced.has(103, 0)).to.equal(false)
    spliced.switchTo(b, { msn: 202, startMs: 0 })
    expect(uris(spliced)).to.eql(['a-100.m4s', 'a-101.m4s', 'a-102.m4s', undefined])
    expect([spliced.lastMsn, spliced.lastPart]).to.eql([103, 1])
    const { segments, preloadHint } = spliced.playlist({ skip: false })
    expect(segments.at(-1)).to.include({ discontinuity: true, initUri: 'b-init.mp4' })
    expect(preloadHint).to.eql({ type: 'PART', uri: 'b-202.2.m4s' })
    expect([spliced.has(103, 1), spliced.has(103, 2), spliced.has(103), spliced.has(102, 4)]).to.eql([
      true,
      false,
      false,
      true,
    ])
    advance(b, 2)
    expect(spliced.has(103), 'before it was taken').to.equal(false)
    spliced.take()
    expect([spliced.has(103), spliced.has(103, 4), spliced.has(104, 0)]).to.eql([true, false, false])
  })

  it('leaves out what is not there any more, and counts its discontinuities', () => {
    const [a, b] = sources as [MadeRendition, MadeRendition]
    const spliced = splice(a)
    spliced.limit(101)
    spliced.take()
    spliced.switchTo(b, { msn: 202, startMs: 0 })
    advance(b, 6)
    spliced.take()
    sources = [b]
    spliced.take()
    expect(uris(spliced)).to.eql(['b-202.m4s', 'b-203.m4s'])
    expect(spliced.playlist({ skip: false })).to.include({ mediaSequence: 102, discontinuitySequence: 0 })
    sources = []
    spliced.take()
    expect(uris(spliced), 'all but the last').to.eql(['b-203.m4s'])
    expect(spliced.playlist({ skip: false })).to.include({ mediaSequence: 103, discontinuitySequence: 1 })
  })

  it('says the longest target durations that there were', () => {
    const [a] = sources as [MadeRendition]
    const long = new MadeRendition({ id: 'c', parts: 4, partSeconds: 1.5 })
    sources.push(long)
    advance(long, 10)
    const spliced = splice(a)
    spliced.limit(spliced.shownMsn)
    advance(a, 4)
    spliced.take()
    spliced.switchTo(long, { msn: 101, startMs: 0 })
    const terms = { targetDurationSeconds: 6, partTargetSeconds: 1.5 }
    expect(spliced.playlist({ skip: false })).to.include(terms)
    spliced.switchTo(a, { msn: 103, startMs: 0 })
    expect(spliced.playlist({ skip: false })).to.include(terms)
  })

  it('breaks no rule, whatever is switched when', () => {
    const STEP = fc.oneof(
      { weight: 8, arbitrary: fc.record({ kind: fc.constant('go' as const), parts: fc.nat(6), breaks: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('switch' as const), to: fc.nat(2) }) },
    )
    fc.assert(
      fc.property(fc.constantFrom(0, 4), fc.array(STEP, { maxLength: 80 }), (parts, steps) => {
        sources = ['a', 'b', 'c'].map((id, index) => {
          return new MadeRendition({
            id,
            parts,
            partSeconds: parts > 0 ? 0.5 : 2,
            firstMsn: 100 * (index + 1),
            startMs: 1e12 + 700 * index,
          })
        })
        for (const source of sources) advance(source, 20 + sources.indexOf(source))
        const spliced = splice(sources[0]!)
        const history = new PlaylistHistory()
        const seen = new Set<string>()
        let next: MadeRendition | undefined
        let lastMsn = spliced.lastMsn
        for (const step of steps) {
          if (step.kind === 'go') {
            for (const source of sources) for (let part = 0; part < step.parts; part++) source.advance(step.breaks)
          } else if (next === undefined) {
            next = sources[step.to]!
            spliced.limit(spliced.shownMsn)
          }
          spliced.take()
          if (next !== undefined && spliced.isAtLimit) {
            const { newestMs } = next
            const at = { newestMs, atMs: newestMs - spliced.leftMs, maxWaitMs: 1000 }
            const point = findSplicePoint(next.playlist(), at)
            if (point !== undefined) spliced.switchTo(next, point)
            if (point !== undefined) next = undefined
          }
          const text = serializeMediaPlaylist(spliced.playlist({ skip: step.kind === 'switch' }))
          const broken = [
            ...validateMediaPlaylist(text, { format: 'fmp4', lowLatency: parts > 0 }),
            ...history.add(text),
          ]
          // While a switch comes about, no hint is given; and a part may be the last for longer than it should.
          const rules = broken.filter(({ rule }) => rule !== 'hint' && rule !== 'parts')
          expect(rules, text).to.eql([])
          expect(spliced.lastMsn).to.be.at.least(lastMsn)
          lastMsn = spliced.lastMsn
          for (const { sequence, uri = '' } of history.segments) seen.add(`${sequence} ${uri}`)
        }
        expect(new Set([...seen].map((each) => each.split(' ')[0])).size, 'a number is one segment').to.equal(seen.size)
      }),
      { numRuns: rounds(200) },
    )
  })
})

describe('the place to go on in another presentation', () => {
  const source = new MadeRendition({ id: 'b', firstMsn: 200, startMs: 0 })
  for (let part = 0; part < 10; part++) source.advance()
  // Segments of 2 s: 200 and 201, and one that is being made, half of it.
  const find = (atMs: number, maxWaitMs = 1000) =>
    findSplicePoint(source.playlist(), { atMs, newestMs: source.newestMs, maxWaitMs })?.msn

  it('is the newest segment that begins no later than the viewer has come', () => {
    expect([0, 1999, 2000, 4000, 5000].map((atMs) => find(atMs))).to.eql([200, 200, 201, 202, 202])
  })

  it('is the oldest there is for a viewer that has not come that far', () => {
    expect(find(-500)).to.equal(200)
  })

  it('is waited for while it is about to begin, but not for long', () => {
    expect(find(6000)).to.equal(undefined)
    expect(find(6000, 900)).to.equal(202)
  })

  it('is the next one when all are complete', () => {
    const whole = new MadeRendition({ id: 'b', parts: 0, partSeconds: 2, firstMsn: 200, startMs: 0 })
    for (let count = 0; count < 3; count++) whole.advance()
    const at = { newestMs: whole.newestMs, maxWaitMs: 2000 }
    expect(findSplicePoint(whole.playlist(), { ...at, atMs: 6500 })?.msn).to.equal(203)
    whole.end()
    expect(findSplicePoint(whole.playlist(), { ...at, atMs: 9000 })?.msn).to.equal(203)
  })
})
