import { expect } from 'chai'
import { Playlists } from './playlists.ts'
import { startProgress } from './progress.ts'

const HEAD = `#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=0.6,CAN-SKIP-UNTIL=12
#EXT-X-PART-INF:PART-TARGET=0.2
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-MAP:URI="../init.mp4"
`
const part = (name: string, independent = false) =>
  `#EXT-X-PART:DURATION=0.2,URI="../${name}"${independent ? ',INDEPENDENT=YES' : ''}\n`
const segment = (msn: number) => `#EXTINF:2,\n../${msn}.m4s\n`

function listingOf(...lines: string[]) {
  return new Playlists().read(Buffer.from(HEAD + lines.join('')))
}

const uris = (listed: readonly { readonly uri: string }[]) => listed.map(({ uri }) => uri.slice('../'.length))

describe('a viewer of HLS in the benchmark', () => {
  it('takes each part once, from the last that it can begin with', () => {
    const progress = startProgress('hls-parts', 0.3)
    const first = listingOf(segment(7), part('8.0', true), part('8.1'), part('8.2'))
    expect(first.initUri).to.equal('../init.mp4')
    expect(uris(progress.take(first))).to.eql(['8.0', '8.1', '8.2'])
    expect(progress.reloadQuery(first)).to.equal('_HLS_msn=8&_HLS_part=3&_HLS_skip=YES')
    expect(uris(progress.take(first))).to.eql([])
    const last = listingOf(segment(7), ...['8.0', '8.1', '8.2', '8.3'].map((name) => part(name)), segment(8))
    expect(uris(progress.take(last))).to.eql(['8.3'])
    expect(progress.reloadQuery(last)).to.equal('_HLS_msn=9&_HLS_part=0&_HLS_skip=YES')
    const next = listingOf('#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n', segment(8), part('9.0', true), part('9.1'))
    expect(uris(progress.take(next))).to.eql(['9.0', '9.1'])
  })

  it('takes each segment once, and asks again after a target duration, or half of one', () => {
    const progress = startProgress('hls-segments', 0.3)
    const first = listingOf(...[7, 8, 9, 10].map(segment))
    expect(uris(progress.take(first))).to.eql(['8.m4s', '9.m4s', '10.m4s'])
    expect(uris(progress.take(first))).to.eql([])
    expect(uris(progress.take(listingOf(...[7, 8, 9, 10, 11].map(segment))))).to.eql(['11.m4s'])
    expect(progress.reloadQuery(first)).to.equal('')
    const waits = [true, true, false, true].map((brought) => progress.reloadAfterMs(first, brought))
    expect(waits).to.eql([600, 2000, 1000, 2000])
  })

  it('reads a playlist that others have read only when it says something else', () => {
    const playlists = new Playlists()
    const text = Buffer.from(HEAD + segment(7))
    const listing = playlists.read(text)
    expect(playlists.read(Buffer.from(text))).to.equal(listing)
    expect(uris(playlists.read(Buffer.from(HEAD + segment(7) + segment(8))).segments)).to.eql(['7.m4s', '8.m4s'])
  })
})
