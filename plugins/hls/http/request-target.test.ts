import { expect } from 'chai'
import fc from 'fast-check'
import { parseRequestTarget } from './request-target.ts'

const TOKEN = '~AbCdEfGhIjKlMnOpQrStUvWxYz0123456789'

describe('the target of an HLS request', () => {
  const cases: readonly [string, ReturnType<typeof parseRequestTarget>][] = [
    ['/live/a/index.m3u8', { kind: 'multivariant', streamPath: 'live/a', folder: '' }],
    ['/live/a.m3u8', { kind: 'multivariant', streamPath: 'live/a', folder: 'a/' }],
    ['/a.m3u8', { kind: 'multivariant', streamPath: 'a', folder: 'a/' }],
    ['/index.m3u8', { kind: 'multivariant', streamPath: 'index', folder: 'index/' }],
    ['/live/a/b.ts/index.m3u8', { kind: 'multivariant', streamPath: 'live/a/b.ts', folder: '' }],
    ['/live/caf%C3%A9/index.m3u8', { kind: 'multivariant', streamPath: 'live/café', folder: '' }],
    ['/live/caf%C3%A9.m3u8', { kind: 'multivariant', streamPath: 'live/café', folder: 'caf%C3%A9/' }],
    ['/live%2fa.m3u8', { kind: 'multivariant', streamPath: 'live/a', folder: 'live%2fa/' }],
    ['/live/a%2em3u8', { kind: 'multivariant', streamPath: 'live/a', folder: 'a/' }],
    ['/live/a:1.m3u8', { kind: 'multivariant', streamPath: 'live/a:1', folder: './a:1/' }],
    ['/live/a"b.m3u8', { kind: 'multivariant', streamPath: 'live/a"b', folder: 'a%22b/' }],
    ['/live/50%.m3u8', { kind: 'multivariant', streamPath: 'live/50%', folder: '50%/' }],
    ['/live/~short/index.m3u8', { kind: 'multivariant', streamPath: 'live/~short', folder: '' }],
    [`/live/a/${TOKEN}/video.m3u8`, { kind: 'media', streamPath: 'live/a', token: TOKEN, rendition: 'video' }],
    [
      `/live/a/%7E${TOKEN.slice(1)}/index.m3u8`,
      { kind: 'media', streamPath: 'live/a', token: TOKEN, rendition: 'index' },
    ],
    ['/live/a/x-video-1.m4s', { kind: 'file', streamPath: 'live/a', name: 'x-video-1.m4s' }],
    ['/live/a/x-init.mp4', { kind: 'file', streamPath: 'live/a', name: 'x-init.mp4' }],
    ['/live/a/x-1.ts', { kind: 'file', streamPath: 'live/a', name: 'x-1.ts' }],
    ['//live/a/../x-1.ts', { kind: 'file', streamPath: 'live/a/..', name: 'x-1.ts' }],
    ['/live/a', undefined],
    ['/live/a/index.M3U8', undefined],
    ['/', undefined],
    ['', undefined],
  ]

  for (const [path, target] of cases) {
    it(`of ${path || 'nothing'}`, () => expect(parseRequestTarget(path)).to.eql(target))
  }

  it('of anything is one that a playlist can repeat, or none', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom('.m3u8', '/index.m3u8', '.ts'),
        (text, end) => {
          const target = parseRequestTarget(text + end)
          if (target?.kind === 'multivariant') expect(target.folder).to.match(/^(?:[!$-~]*\/)?$/u)
        },
      ),
    )
  })
})
