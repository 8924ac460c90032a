import { expect } from 'chai'
import { LogRecords } from 'sluice/sdk/testing'
import type { PlaylistFollower } from './playlist-follower.ts'
import { fetchSegments } from './segment-fetcher.ts'
import type { SegmentLoader } from './segment-loader.ts'
import { SourceError } from './source-error.ts'

const LOADED = { bytes: Buffer.alloc(1), container: 'ts', init: undefined } as const

/** A source of the given segments, whose loads fail as often as told. */
function rig(names: readonly string[], fails: Readonly<Record<string, number | Error>> = {}, isWhole = true) {
  const left: Record<string, number | Error> = { ...fails }
  const waits: number[] = []
  const loads: string[] = []
  const stop = new AbortController()
  const follower = {
    url: 'http://h/list',
    isWhole,
    rewinds: 0,
    rewind: () => void follower.rewinds++,
    async *segments() {
      for (const uri of names) yield { uri }
    },
  }
  const load = async ({ uri }: { uri: string }, base: string) => {
    loads.push(uri)
    expect(base).to.equal('http://h/list')
    const failure = left[uri] ?? 0
    if (failure instanceof Error) throw failure
    left[uri] = failure - 1
    if (failure > 0) throw new SourceError(`no ${uri}`)
    return LOADED
  }
  const collect = async (loop: number, limit = 100) => {
    const options = {
      follower: follower as unknown as PlaylistFollower,
      loader: { load } as unknown as SegmentLoader,
      loop,
      clock: {
        nowMs: () => 0,
        wait: async (ms: number) => void waits.push(ms),
      },
      signal: stop.signal,
      log: new LogRecords('hls').logger,
    }
    const found: string[] = []
    for await (const { segment, result } of fetchSegments(options)) {
      found.push(result instanceof SourceError ? result.message : segment.uri)
      if (found.length === limit) break
    }
    return found.join(' ')
  }
  return { collect, waits, loads, stop, follower }
}

describe('segments of a source', () => {
  it('are fetched in order, once', async () => {
    const { collect, follower } = rig(['a', 'b'])
    expect(await collect(0)).to.equal('a b')
    expect(follower.rewinds).to.equal(1)
  })

  it('are fetched again as often as they are to be repeated', async () => {
    expect(await rig(['a', 'b']).collect(2)).to.equal('a b a b a b')
    expect(await rig(['a', 'b']).collect(-1, 9)).to.equal('a b a b a b a b a')
  })

  it('of a source that was not there as a whole are not repeated', async () => {
    expect(await rig(['a', 'b'], {}, false).collect(-1)).to.equal('a b')
  })

  it('are not repeated when none could be had', async () => {
    expect(await rig(['a'], { a: 99 }).collect(-1)).to.equal('no a')
  })

  it('are tried three times, later each time, and then left out', async () => {
    const { collect, waits, loads } = rig(['a', 'b', 'c'], { a: 2, b: 3 })
    expect(await collect(0)).to.equal('a no b c')
    expect(loads.join('')).to.equal('aaabbbc')
    expect(waits).to.eql([700, 1400, 700, 1400])
  })

  for (const error of [new SourceError('fatal', { fatal: true }), new TypeError('a mistake')]) {
    it(`are given up at once for ${error.message}`, async () => {
      const { collect, loads } = rig(['a', 'b'], { a: error })
      expect(await collect(0).catch((failure: unknown) => failure)).to.equal(error)
      expect(loads).to.eql(['a'])
    })
  }

  it('are not tried again once the pull has ended', async () => {
    const { collect, loads, stop } = rig(['a'], { a: 3 })
    stop.abort()
    expect(String(await collect(0).catch((failure: unknown) => failure))).to.include('no a')
    expect(loads).to.eql(['a'])
  })
})
