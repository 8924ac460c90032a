import { expect } from 'chai'
import fc from 'fast-check'
import { parseVodTarget } from './vod-target.ts'

const TARGETS: readonly (readonly [path: string, query: string, kind: string | undefined, streamPath?: string])[] = [
  ['/live/cam.m3u8', 'start=1', 'ts', 'live/cam'],
  ['/live/cam/index.m3u8', 'range=1~2', 'ts', 'live/cam'],
  ['/live/c%61m%2Fa.m3u8', 'a=b&start=', 'ts', 'live/cam/a'],
  ['/vod/ts.m3u8', 'streamPath=live/cam', 'ts', 'live/cam'],
  ['/vod/mp4.m3u8', 'streamPath=live%2Fcam&start=1', 'fmp4', 'live/cam'],
  ['/vod/fmp4.m3u8', 'streamPath=live/cam', 'fmp4', 'live/cam'],
  ['/download/live/cam.ts', 'start=1&end=2', 'segment', 'live/cam'],
  ['/download/live/cam.fmp4', 'id=1', 'file', 'live/cam'],
  ['/download/live/cam.fmp4', 'start=1', undefined],
  // Live streams, whatever they are called.
  ['/live/cam.m3u8', 'end=1', undefined],
  ['/live/cam.m3u8', '', undefined],
  ['/vod/ts.m3u8', 'a=b', undefined],
  ['/download/live/abc-1-2.ts', 'a=b', undefined],
  ['/live/abc-1-2.ts', 'start=1', undefined],
  // Playbacks that are streams, and those of devices.
  ['/vod_mp4_1/live/cam.m3u8', 'start=1', undefined],
  ['/gb_1/a/index.m3u8', 'start=1', undefined],
]

describe('the target of a request for recordings', () => {
  for (const [path, query, kind, streamPath] of TARGETS) {
    it(`${path}?${query} is ${kind ?? 'none'}`, () => {
      const target = parseVodTarget(path, query)
      expect([target?.kind, target?.streamPath]).to.eql([kind, streamPath])
    })
  }

  it('carries on what is not about the time, as it was sent', () => {
    const query = 'start=1&a=b%20c&end=2&secret="x"&type=mp4&_HLS_msn=3&streamPath=y&starting=1&range=4&seg=z&id=5'
    expect(parseVodTarget('/live/cam.m3u8', query)?.carried).to.equal('&a=b%20c&secret=%22x%22&starting=1')
    expect(parseVodTarget('/live/cam.m3u8', 'start=1')?.carried).to.equal('')
    const toMounts = ['/cam.m3u8', '/live/cam.m3u8', '/live/cam/index.m3u8'].map(
      (path) => parseVodTarget(path, 'start=1')?.toMount,
    )
    expect(toMounts).to.eql(['', '../', '../../'])
  })

  it('is read from anything, and breaks no line of a playlist', () => {
    const text = fc.string({ unit: 'binary' })
    const path = fc.oneof(
      text,
      fc
        .tuple(fc.constantFrom('/download/', '/vod/', '/'), text, fc.constantFrom('.ts', '.m3u8'))
        .map((parts) => parts.join('')),
    )
    const query = fc.oneof(
      text,
      text.map((rest) => `start=1&${rest}`),
    )
    fc.assert(
      fc.property(path, query, (asked, given) => {
        const { carried = '', toMount = '' } = parseVodTarget(asked, given) ?? {}
        expect(carried).to.match(/^(?:&[\u0021\u0024-\u007e]*)*$/u)
        expect(toMount).to.match(/^(?:\.\.\/)*$/u)
      }),
    )
  })
})
