import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { PlaylistCache } from './playlist-cache.ts'
import type { MediaPlaylist } from '../wire/media-playlist.ts'

function playlist(skip: boolean): MediaPlaylist {
  return {
    version: 9,
    targetDurationSeconds: 2,
    mediaSequence: 5,
    discontinuitySequence: 0,
    independentSegments: true,
    ...(skip ? { skippedSegments: 1 } : {}),
    segments: [{ uri: 'id-video-5.m4s', durationSeconds: 2, initUri: 'id-video-init0.mp4' }],
    preloadHint: { type: 'PART', uri: 'id-video-6.0.m4s' },
    ended: false,
  }
}

describe('the text of a media playlist', () => {
  let written: boolean[]
  let cache: PlaylistCache
  beforeEach(() => {
    written = []
    cache = new PlaylistCache(
      ({ skip }) => {
        written.push(skip)
        return playlist(skip)
      },
      (uri) => `../${uri}`,
    )
  })

  it('carries the query on in each address', () => {
    const { headers, body } = cache.reply({ carried: '?a=1&b=2', skip: false, gzip: false })
    const addresses = body.toString().match(/\.\.\/[^"\n]*/gu)
    expect(addresses).to.eql([
      '../id-video-init0.mp4?a=1&b=2',
      '../id-video-5.m4s?a=1&b=2',
      '../id-video-6.0.m4s?a=1&b=2',
    ])
    expect(headers).to.eql({
      'content-type': 'application/vnd.apple.mpegurl',
      'cache-control': 'no-cache',
      'content-length': body.length,
    })
  })

  it('is the same bytes for all with the same query, and the same work for all with another', () => {
    const first = cache.reply({ carried: '?a', skip: false, gzip: false })
    expect(cache.reply({ carried: '?a', skip: false, gzip: false })).to.equal(first)
    cache.reply({ carried: '?b', skip: false, gzip: false })
    expect(written).to.eql([false])
    const delta = cache.reply({ carried: '?a', skip: true, gzip: false })
    expect(delta.body.toString()).to.include('#EXT-X-SKIP')
    expect(cache.reply({ carried: '?a', skip: true, gzip: false })).to.equal(delta)
    expect(written).to.eql([false, true])
  })

  it('is compressed once for those who take it so', () => {
    const plain = cache.reply({ carried: '', skip: false, gzip: false })
    const compressed = cache.reply({ carried: '', skip: false, gzip: true })
    expect(cache.reply({ carried: '', skip: false, gzip: true })).to.equal(compressed)
    expect(compressed.headers).to.include({ 'content-encoding': 'gzip', 'content-length': compressed.body.length })
    expect(gunzipSync(compressed.body)).to.eql(plain.body)
  })

  it('is written anew when it was dropped', () => {
    const first = cache.reply({ carried: '', skip: false, gzip: false })
    cache.drop()
    expect(cache.reply({ carried: '', skip: false, gzip: false })).not.to.equal(first)
    expect(written).to.eql([false, false])
  })

  it('is kept for a bounded number of queries, and right for all others', () => {
    for (let viewer = 0; viewer < 1000; viewer++) cache.reply({ carried: `?v=${viewer}`, skip: false, gzip: true })
    const last = cache.reply({ carried: '?v=999', skip: false, gzip: true })
    expect(last.headers).not.to.have.property('content-encoding')
    expect(last.body.toString()).to.include('../id-video-5.m4s?v=999\n')
    expect(cache.reply({ carried: '?v=999', skip: false, gzip: true })).not.to.equal(last)
    expect(cache.reply({ carried: '?v=3', skip: false, gzip: true }).headers).to.have.property('content-encoding')
    expect(written).to.eql([false])
  })
})
