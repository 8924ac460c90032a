import { expect } from 'chai'
import fc from 'fast-check'
import { GopCache, MAX_CACHE_BYTES, MAX_CACHE_ENTRIES, type CacheEntry } from './gop-cache.ts'

const entry = (timeMs: number, start: boolean, sizeBytes = 1): CacheEntry => ({ timeMs, start, sizeBytes })

/** Groups of pictures of `length` entries, 100 ms apart. */
function fill(cache: GopCache<CacheEntry>, count: number, length: number, sizeBytes = 1): void {
  for (let index = 0; index < count; index++) cache.push(entry(index * 100, index % length === 0, sizeBytes))
}

const times = (cache: GopCache<CacheEntry>) => cache.entries.map(({ timeMs }) => timeMs)

describe('GopCache', () => {
  it('keeps the newest group of pictures', () => {
    const cache = new GopCache()
    fill(cache, 13, 5)
    expect(times(cache)).to.deep.equal([1000, 1100, 1200])
  })

  it('keeps nothing before a start point', () => {
    const cache = new GopCache()
    cache.push(entry(0, false))
    expect(cache.entries).to.be.empty
  })

  it('keeps the groups of pictures that reach back as far as the buffer', () => {
    const cache = new GopCache(1000)
    fill(cache, 41, 5)
    expect(times(cache).slice(0, 2)).to.deep.equal([3000, 3100])
    expect(times(cache).at(-1)).to.equal(4000)
  })

  it('reaches back no less than the buffer once that much came, and at most a group of pictures more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 12 }), (bufferMs, length) => {
        const cache = new GopCache(bufferMs)
        fill(cache, 100, length)
        const [first] = cache.entries
        const newestStart = cache.entries.findLast(({ start }) => start)
        expect(first?.start).to.be.true
        const reach = (newestStart?.timeMs ?? 0) - (first?.timeMs ?? 0)
        expect(reach).to.be.at.least(bufferMs)
        expect(reach).to.be.lessThan(bufferMs + length * 100)
      }),
    )
  })

  it('drops a group of pictures of too many bytes, until the next start point', () => {
    const cache = new GopCache()
    const half = MAX_CACHE_BYTES / 2
    cache.push(entry(0, true, half))
    cache.push(entry(1, false, half))
    expect(cache.entries).to.have.length(2)
    cache.push(entry(2, false, 1))
    expect(cache.entries).to.be.empty
    expect(cache.shortOf).to.equal('gop')
    cache.push(entry(3, false, 1))
    expect(cache.entries).to.be.empty
    cache.push(entry(4, true, 1))
    expect(cache.shortOf).to.equal(undefined)
    expect(times(cache)).to.deep.equal([4])
  })

  it('drops a group of pictures of too many entries', () => {
    const cache = new GopCache()
    fill(cache, MAX_CACHE_ENTRIES, Infinity)
    cache.push(entry(0, true))
    for (let index = 1; index < MAX_CACHE_ENTRIES; index++) cache.push(entry(index, false))
    expect(cache.entries).to.have.length(MAX_CACHE_ENTRIES)
    cache.push(entry(MAX_CACHE_ENTRIES, false))
    expect(cache.entries).to.be.empty
  })

  it('gives up the oldest of several groups of pictures first', () => {
    const cache = new GopCache(1e9)
    const third = MAX_CACHE_BYTES / 3
    for (let index = 0; index < 4; index++) cache.push(entry(index * 100, true, third))
    expect(times(cache)).to.deep.equal([100, 200, 300])
    expect(cache.shortOf).to.equal('buffer')
  })

  it('is short of nothing when what it gives up lies further back than the buffer', () => {
    const cache = new GopCache(100)
    const third = MAX_CACHE_BYTES / 3
    for (const timeMs of [0, 90, 190]) cache.push(entry(timeMs, timeMs < 100, third))
    cache.push(entry(191, false, 1))
    expect(times(cache)).to.deep.equal([90, 190, 191])
    expect(cache.shortOf).to.equal(undefined)
  })

  it('starts anew after it was cleared', () => {
    const cache = new GopCache(1000)
    fill(cache, 20, 5)
    cache.clear()
    cache.push(entry(1, true))
    expect(times(cache)).to.deep.equal([1])
  })

  describe('startIndex', () => {
    const cache = new GopCache(2000)
    before(() => fill(cache, 33, 5))
    const cases = [
      { backMs: 0, timeMs: 3000 },
      { backMs: 200, timeMs: 3000 },
      { backMs: 201, timeMs: 2500 },
      { backMs: 1500, timeMs: 1500 },
      { backMs: 60_000, timeMs: 1000 },
    ]
    for (const { backMs, timeMs } of cases) {
      it(`is the start point at ${timeMs} for ${backMs} ms before 3200`, () => {
        expect(cache.entries[cache.startIndex(backMs)]?.timeMs).to.equal(timeMs)
      })
    }

    it('is the newest start point when a unit of an earlier time follows it', () => {
      const interleaved = new GopCache(1000)
      for (const [timeMs, start] of [
        [0, true],
        [500, true],
        [480, false],
      ] as const)
        interleaved.push(entry(timeMs, start))
      expect(interleaved.startIndex(0)).to.equal(1)
    })

    it('is 0 for an empty cache', () => {
      expect(new GopCache().startIndex(0)).to.equal(0)
    })
  })
})
