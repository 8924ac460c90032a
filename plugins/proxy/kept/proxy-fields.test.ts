import { expect } from 'chai'
import { InvalidRequest, maskTarget, maskUrl } from 'sluice/sdk'
import { FakePlugins } from 'sluice/sdk/testing'
import { targetOf, TYPES } from '../testing/proxy-rig.ts'
import { changedPullProxy, changedPushProxy, newPullProxy, newPushProxy } from './proxy-fields.ts'
import { proxyTypes } from './proxy-type.ts'

const DEVICE = '34020000001320000001/34020000001320000002'
const SECRET_URL = 'rtsp://admin:pa55word@cam.test/stream1?token=s3cret'
const camera = (fields = {}) => newPullProxy(7, { url: SECRET_URL, ...fields }, TYPES)

describe('the type of a proxy', () => {
  const cases: readonly (readonly [url: string, type: string | undefined])[] = [
    ['rtmps://host/live/a', 'rtmp'],
    ['https://host/a/index.m3u8?x=1', 'hls'],
    [DEVICE, 'gb28181'],
    ['gopher://host', 'gopher'],
    ['http://host/a', undefined],
    ['', undefined],
  ]
  for (const [url, type] of cases) it(`told by '${url}' is ${type}`, () => expect(TYPES.of(url)).to.equal(type))
})

describe('the type that clients write', () => {
  it('takes names and numbers, and 0 as nothing', () => {
    const types = ['rtsp', ' HLS ', 2, '2', 10, 0, ''].map((written) => TYPES.read(written))
    expect(types).to.eql(['rtsp', 'hls', 'rtsp', 'rtsp', 'h265', '', ''])
  })
  it('takes no numbers of plugins that are not there', () => {
    const types = proxyTypes(new FakePlugins(), () => undefined)
    expect(types.read(8)).to.equal('gb28181')
    expect(() => types.read(2)).to.throw(InvalidRequest, "a number from 0 to 10, found '2'")
  })
  for (const written of [11, -1, 1.5, 'a b', '../x', 'x'.repeat(65)]) {
    it(`refuses ${written}`, () => expect(() => TYPES.read(written)).to.throw(InvalidRequest, /^type: expected/u))
  }
})

describe('the target of a check', () => {
  const cases: readonly (readonly [url: string, target: string | undefined])[] = [
    ['rtsp://user:p@ss@10.0.0.1/a', '10.0.0.1 554'],
    ['rtsp://[2001:db8::1]:8554/a', '2001:db8::1 8554'],
    ['rtsps://cam/a', 'cam 322'],
    ['rtmp://host/a', 'host 1935'],
    ['rtmps://host/a', 'host 443'],
    ['https://host/a.flv', 'host 443'],
    ['http://host:8080/a.flv', 'host 8080'],
    ['srt://host:6000', undefined],
    ['films/a.mp4', undefined],
    [DEVICE, undefined],
  ]
  for (const [url, expected] of cases) {
    it(`of ${url} is ${expected}`, () => {
      const target = targetOf(url)
      expect(target && `${target.host} ${target.port}`).to.equal(expected)
    })
  }
})

describe('the fields of a proxy', () => {
  it('have defaults', () => {
    expect(camera()).to.deep.include({
      id: 7,
      type: 'rtsp',
      streamPath: 'pull/rtsp/7',
      isDisabled: false,
      beginsAlone: false,
      audio: false,
      stopsOnIdle: false,
      checkIntervalMs: 1e4,
      parentId: 0,
      name: '',
    })
    expect(camera().rule).to.include({ url: SECRET_URL, maxretry: -1 })
    expect(newPushProxy(3, { url: 'rtmp://host/a' }, TYPES)).to.include({ streamPath: 'push/rtmp/3', audio: false })
  })

  it('ask plugins for types that are not known', () => {
    expect(newPullProxy(1, { url: 'gopher://host' }, TYPES)).to.include({ type: 'gopher' })
    expect(newPullProxy(1, { url: 'http://host/a', type: 6 }, TYPES)).to.include({ type: 'flv' })
  })

  it('change by presence, and keep the path when the type changes', () => {
    const changed = changedPullProxy(camera(), { name: 'Gate', url: 'http://cam.test/a.flv' }, TYPES)
    expect(changed).to.include({ name: 'Gate', type: 'flv', streamPath: 'pull/rtsp/7', audio: false })
    expect(changedPullProxy(changed, { audio: true }, TYPES)).to.include({ name: 'Gate', type: 'flv', audio: true })
  })

  it('keep the address that comes back as it was shown', () => {
    const before = camera()
    const shown = maskUrl(SECRET_URL)
    expect(shown).not.to.match(/pa55|s3cret/u)
    expect(changedPullProxy(before, { url: shown }, TYPES)).to.eql(before)
    const other = shown.replace('cam.test', 'evil.test')
    expect(() => changedPullProxy(before, { url: other }, TYPES)).to.throw(
      InvalidRequest,
      /in place of what is hidden/u,
    )
  })

  it('keep the address of a target that comes back without its stream key', () => {
    const before = newPushProxy(7, { url: 'rtmp://a.rtmp.youtube.com/live2/abcd-s3cret' }, TYPES)
    const shown = maskTarget(before.rule.url)
    expect(shown).not.to.match(/s3cret/u)
    expect(changedPushProxy(before, { url: shown, name: 'Show' }, TYPES)).to.eql({ ...before, name: 'Show' })
  })

  it('have an interval of checks within its bounds', () => {
    const intervals = [0, 1, 15_000, 10 ** 9].map((checkIntervalMs) => camera({ checkIntervalMs }).checkIntervalMs)
    expect(intervals).to.eql([10_000, 1000, 15_000, 3_600_000])
  })

  const refused: readonly (readonly [what: string, fields: object, message: RegExp])[] = [
    ['no address', { url: '' }, /address is missing/u],
    ['an address that tells no type', { url: 'http://u:pa55word@host/a' }, /does not tell its type/u],
    ['nonsense', { url: 'pa55word' }, /neither one with scheme and host/u],
    ['blanks', { url: 'rtsp://host/a b' }, /blanks/u],
    ['a line', { url: 'rtsp://host/a\nb' }, /blanks/u],
    ['a NUL', { url: 'rtsp://host/a\0b' }, /blanks/u],
    ['too long an address', { url: `rtsp://host/${'a'.repeat(5000)}` }, /longer than 4096/u],
    ['a path that is none', { streamPath: 'a/../b' }, /stream path/u],
  ]
  for (const [what, fields, message] of refused) {
    it(`are refused with ${what}, which is not repeated`, () => {
      expect(() => camera(fields)).to.throw(InvalidRequest, message)
      expect(() => camera(fields)).not.to.throw(/pa55word/u)
    })
  }
})
