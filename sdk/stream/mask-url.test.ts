import { expect } from 'chai'
import { maskTarget, maskUrl, maskUrls } from './mask-url.ts'

const CASES: readonly (readonly [url: string, shown: string])[] = [
  ['http://host/live/a.m3u8', 'http://host/live/a.m3u8'],
  ['http://user:pw@host:8080/a.m3u8', 'http://******@host:8080/a.m3u8'],
  ['https://host/a.m3u8?token=s3cret&x=1#frag', 'https://host/a.m3u8?token=******&x=******'],
  ['https://host/a.m3u8?s3cret', 'https://host/a.m3u8?******'],
  ['https://host/a.m3u8?flag/s3cret&b=1=2&', 'https://host/a.m3u8?******&b=******&******'],
  ['rtsp://user:p@ss@camera/stream', 'rtsp://******@camera/stream'],
  ['rtsp://user:pa/ss@camera:x/stream', '******@camera:x/stream'],
  ['vod/live/test?key=s3cret', 'vod/live/test?******'],
  ['live/test', 'live/test'],
]

describe('maskUrl', () => {
  for (const [url, shown] of CASES) it(`shows ${shown}`, () => expect(maskUrl(url)).to.equal(shown))
})

describe('maskUrls', () => {
  it('shows a text without the secrets of the addresses in it', () => {
    const text = 'from srt://host:1/?key=hush to "http://u:hush@b/c": refused, mail me@b'
    expect(maskUrls(text)).to.equal('from srt://host:1/?key=****** to "http://******@b/c": refused, mail me@b')
  })
})

const TARGETS: readonly (readonly [url: string, shown: string])[] = [
  ['rtmp://a.rtmp.youtube.com/live2/abcd-efgh-1234', 'rtmp://a.rtmp.youtube.com/live2/******'],
  ['rtmps://user:pw@host:443/app/inst/key/?a=b', 'rtmps://******@host:443/app/inst/******/?a=******'],
  ['RTMP://host/key', 'rtmp://host/******'],
  ['rtmp://host/', 'rtmp://host/'],
  ['rtmp://host/live-bvc/?streamname=live_1&key=s3cret', 'rtmp://host/******/?streamname=******&key=******'],
  ['rtmp://host/live?flag/s3cret', 'rtmp://host/******?******'],
  ['rtmp://user:pw@host:99999/live2/s3cret', 'rtmp://******'],
  ['rtmp://host:99999/live2/s3@cret', 'rtmp://******'],
  ['RTMPS:///live2/s3cret', 'rtmp://******'],
  ['rtsp://user:pw@host/live/a?t=1', 'rtsp://******@host/live/a?t=******'],
]

describe('maskTarget', () => {
  for (const [url, shown] of TARGETS) it(`shows ${shown}`, () => expect(maskTarget(url)).to.equal(shown))
})
