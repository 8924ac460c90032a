import { expect } from 'chai'
import { LogRecords } from 'sluice/sdk/testing'
import { PlaylistFollower } from './playlist-follower.ts'
import { SourceError } from './source-error.ts'
import { parseSourcePlaylist, type SourceMediaPlaylist } from '../wire/source-playlist.ts'

type Answer = string | Error

/** A live playlist of segments of two seconds; their names are their numbers. */
function live(first: number, count: number, ...more: readonly string[]): string {
  const segments = Array.from({ length: count }, (_, index) => `#EXTINF:2,\n${first + index}`)
  return ['#EXTM3U', '#EXT-X-TARGETDURATION:2', `#EXT-X-MEDIA-SEQUENCE:${first}`, ...segments, ...more].join('\n')
}

/** Follows answers of a server, one for each request; the last is repeated. Time passes while it waits. */
function follow(first: string, ...answers: readonly Answer[]) {
  let nowMs = 0
  let asked = 0
  const waits: number[] = []
  const fetch = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? first
    if (answer instanceof Error) throw answer
    return { bytes: Buffer.from(answer), url: 'http://host/live.m3u8' }
  }
  const wait = async (ms: number) => {
    waits.push(ms)
    nowMs += ms
  }
  const playlist = parseSourcePlaylist(first) as SourceMediaPlaylist
  const logs = new LogRecords('hls')
  const follower = new PlaylistFollower({
    client: { fetch },
    clock: {
      nowMs: () => nowMs,
      wait,
    },
    playlist,
    url: 'http://host/live.m3u8',
    signal: new AbortController().signal,
    log: logs.logger,
  })
  const segments = follower.segments()
  const names = async (count: number) => {
    const found: string[] = []
    while (found.length < count) {
      const { value, done } = await segments.next()
      if (done === true) break
      found.push(value.uri)
    }
    return found
  }
  return { follower, segments, names, waits, asked: () => asked }
}

describe('PlaylistFollower', () => {
  it('takes a live source up three target durations before its end, and gives each segment once', async () => {
    const { names, waits } = follow(live(10, 6), live(11, 6), live(11, 6), live(12, 6), live(12, 6, '#EXT-X-ENDLIST'))
    expect(await names(9)).to.eql(['13', '14', '15', '16', '17'])
    expect(waits).to.eql([2000, 2000, 1000, 2000])
  })

  it('gives all of a source that has an end, and again from the start', async () => {
    const { follower, names, asked } = follow(live(0, 6, '#EXT-X-ENDLIST'))
    expect(await names(9)).to.eql(['0', '1', '2', '3', '4', '5'])
    expect(follower.isWhole).to.equal(true)
    follower.rewind()
    const again = await follower.segments().next()
    expect(again.value).to.include({ uri: '0' })
    expect(again.value?.discontinuity).to.be.greaterThan(0)
    expect(asked()).to.equal(0)
  })

  it('starts with a single segment that is longer than it wants', async () => {
    const { names } = follow('#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:60,\nlong')
    expect(await names(1)).to.eql(['long'])
  })

  it('goes on after segments that it has missed', async () => {
    expect(await follow(live(0, 3), live(20, 3)).names(6)).to.eql(['0', '1', '2', '20', '21', '22'])
  })

  it('knows segments by their address where they have no number', async () => {
    const list = (...names: readonly string[]) => `#EXTM3U\n#EXT-X-TARGETDURATION:2\n${names.join('\n')}\n`
    const { names } = follow(list('a', 'b', 'c'), list('b', 'c', 'd'), list('x', 'y'))
    expect(await names(6)).to.eql(['a', 'b', 'c', 'd', 'x', 'y'])
  })

  it('is not put off by an older playlist from a cache', async () => {
    expect(await follow(live(10, 3), live(9, 3), live(11, 3)).names(4)).to.eql(['10', '11', '12', '13'])
  })

  it('begins anew with a source that keeps counting from lower numbers', async () => {
    const { names } = follow(live(100, 3), live(0, 3), live(0, 4), live(1, 4), live(2, 4))
    expect(await names(6)).to.eql(['100', '101', '102', '2', '3', '4'])
  })

  it('leaves gaps out', async () => {
    const gap = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2\na\n#EXT-X-GAP\n#EXTINF:2\nb\n#EXTINF:2\nc\n#EXT-X-ENDLIST'
    expect(await follow(gap).names(3)).to.eql(['a', 'c'])
  })

  it('tries again when the playlist can not be had, and gives up after a while', async () => {
    const gone = new SourceError('gone')
    expect(await follow(live(0, 1), gone, gone, live(0, 2)).names(2)).to.eql(['0', '1'])
    const { names, waits } = follow(live(0, 1), gone)
    const error: unknown = await names(2).catch((error: unknown) => error)
    expect(error).to.equal(gone)
    expect(waits.reduce((sum, ms) => sum + ms)).to.be.within(8000, 14_000)
    expect(waits.slice(1)).to.eql([500, 1000, 2000, 4000])
  })

  it('takes a source whose playlist stands still to be gone', async () => {
    const error: unknown = await follow(live(0, 1))
      .names(2)
      .catch((error: unknown) => error)
    expect(String(error)).to.include('nothing new for 30 s')
  })
})
