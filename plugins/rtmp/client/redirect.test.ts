import { expect } from 'chai'
import { RtmpClientError } from './client-error.ts'
import { redirectedUrl } from './redirect.ts'

const cases: readonly (readonly [what: string, url: string, redirect: string, knowsName: boolean, to: string])[] = [
  ['an app', 'rtmp://a/live/x?key=1', 'rtmp://b/edge', false, 'rtmp://b/edge/x?key=1'],
  [
    'an app with an instance',
    'rtmp://a/live/x?key=1',
    'rtmp://b:1936/edge/two/',
    false,
    'rtmp://b:1936/edge/two/x?key=1',
  ],
  ['the stream', 'rtmp://a/live/x?key=1', 'rtmp://b/edge/x?key=2', false, 'rtmp://b/edge/x?key=2'],
  ['another name, once the name is known', 'rtmp://a/live/x', 'rtmp://b/edge/y', true, 'rtmp://b/edge/y'],
  ['an app, once the name is known', 'rtmp://a/live/x', 'rtmp://b/edge', true, 'rtmp://b/edge/x'],
  ['the same host', 'rtmp://u:p@a/live/x', 'rtmp://A:1936/edge', false, 'rtmp://u:p@A:1936/edge/x'],
  ['the same host as who has a $', 'rtmp://u:p$$w$&@a/live/x', 'rtmp://a/edge', false, 'rtmp://u:p$$w$&@a/edge/x'],
  ['another host', 'rtmp://u:p@a/live/x', 'rtmp://b/edge', false, 'rtmp://b/edge/x'],
  ['the open', 'rtmps://u:p@a/live/x', 'rtmp://a/edge', false, 'rtmp://a/edge/x'],
  ['who it says', 'rtmp://u:p@a/live/x', 'rtmp://v:q@a/edge', false, 'rtmp://v:q@a/edge/x'],
]

describe('redirectedUrl', () => {
  for (const [what, url, redirect, knowsName, to] of cases) {
    it(`leads to ${what}`, () => {
      expect(redirectedUrl(url, redirect, knowsName)).to.equal(to)
    })
  }

  it('leads to RTMP alone', () => {
    for (const redirect of ['http://b/live/x', 'file:///etc/passwd', 'x', 'rtmp://b:99999/live']) {
      expect(() => redirectedUrl('rtmp://a/live/x', redirect, true)).to.throw(RtmpClientError, /no address of RTMP/u)
    }
  })
})
