import { expect } from 'chai'
import fc from 'fast-check'
import { InvalidRequest, type PublishConfig, type SubscribeConfig } from 'sluice/sdk'
import { configOf, RELAY } from '../config/fixtures/temp-config.ts'
import { applyPublishOverrides, applySubscribeOverrides } from './session-overrides.ts'

let publish: PublishConfig
let subscribe: SubscribeConfig

before(async () => {
  const { values } = (await configOf('relay: {subscribe: {key: locked}}')).declare(RELAY)
  publish = values.publish
  subscribe = values.subscribe
})

describe('session overrides', () => {
  const cases: { params: Record<string, string>; change: Partial<SubscribeConfig> }[] = [
    { params: { subaudio: 'false' }, change: { subaudio: false } },
    { params: { SubVideo: '0' }, change: { subvideo: false } },
    { params: { iframeonly: 'TRUE' }, change: { iframeonly: true } },
    { params: { buffertime: '2s', submode: '1' }, change: { buffertime: 2000, submode: 1 } },
    { params: { buffertime: '2' }, change: { buffertime: 2000 } },
    { params: { buffertime: '1h' }, change: { buffertime: 30_000 } },
    { params: { waittimeout: '0' }, change: { waittimeout: 0 } },
    { params: { waittimeout: '61s' }, change: { waittimeout: 60_000 } },
    { params: { waittrack: 'all' }, change: { waittrack: 'all' } },
    { params: { bufferTimeArgName: 'bt', BT: '3s' }, change: { buffertime: 3000 } },
    { params: { bt: '3s', buffertime: '1s', buffertimeargname: 'bt' }, change: { buffertime: 3000 } },
    { params: { buffertimeargname: 'bt', bt: '3s', buffertime: '1s' }, change: { buffertime: 3000 } },
    { params: { buffertimeargname: 'bt', buffertime: '1s' }, change: { buffertime: 1000 } },
  ]
  for (const { params, change } of cases) {
    it(`takes ${new URLSearchParams(params).toString()}`, () => {
      expect(applySubscribeOverrides(subscribe, params)).to.deep.equal({ ...subscribe, ...change })
    })
  }

  it('refuses a viewer that wants nothing', () => {
    const nothing = { subaudio: 'false', subvideo: 'false' }
    expect(() => applySubscribeOverrides(subscribe, nothing)).to.throw(InvalidRequest, 'neither audio nor video')
    const videoOnly = { ...subscribe, subaudio: false }
    expect(() => applySubscribeOverrides(videoOnly, { subvideo: 'false' })).to.throw(InvalidRequest)
    expect(applySubscribeOverrides(videoOnly, { subvideo: 'false', subaudio: 'true' })).to.include({ subvideo: false })
  })

  it('lets a publisher leave out audio or video', () => {
    expect(applyPublishOverrides(publish, { PubAudio: 'false', subvideo: 'false' })).to.deep.equal({
      ...publish,
      pubaudio: false,
    })
  })

  it('lets a longer configured time be the limit', () => {
    const patient = { ...subscribe, waittimeout: 300_000, buffertime: 45_000 }
    expect(applySubscribeOverrides(patient, { waittimeout: '10m', buffertime: '10m' })).to.deep.equal(patient)
    expect(applySubscribeOverrides(patient, { waittimeout: '200s' }).waittimeout).to.equal(200_000)
  })

  it('gives the same object when there is nothing to override', () => {
    for (const params of [{}, { secret: 'a', expire: 'b' }, { argname: 'x' }, { bufferargname: 'x', x: '1s' }]) {
      expect(applyPublishOverrides(publish, params)).to.equal(publish)
      expect(applySubscribeOverrides(subscribe, params)).to.equal(subscribe)
    }
  })

  it('lets nobody set anything else', () => {
    const open = new Set(['subaudio', 'subvideo', 'iframeonly', 'buffertime', 'submode', 'waittimeout', 'waittrack'])
    for (const key of Object.keys(subscribe)) {
      if (open.has(key)) continue
      expect(applySubscribeOverrides(subscribe, { [key]: '1', [`${key}argname`]: 'x', x: '1' }), key).to.equal(
        subscribe,
      )
    }
    for (const key of Object.keys(publish)) {
      if (['pubaudio', 'pubvideo', 'speed', 'scale'].includes(key)) continue
      expect(applyPublishOverrides(publish, { [key]: '1', [`${key}argname`]: 'x', x: '1' }), key).to.equal(publish)
    }
  })

  it('lets a publisher say at what pace it is sent, and at what scale', () => {
    expect(applyPublishOverrides(publish, { speed: '2', scale: '0.5' })).to.deep.equal({
      ...publish,
      speed: 2,
      scale: 0.5,
    })
    for (const params of [{ scale: '0' }, { scale: '17' }, { speed: '-1' }, { speed: 'fast' }]) {
      expect(() => applyPublishOverrides(publish, params)).to.throw(InvalidRequest)
    }
  })

  const invalid: [params: Record<string, string>, message: string][] = [
    [{ submode: '4' }, 'submode: expected 0, 1, 2 or 3'],
    [{ subaudio: '' }, 'subaudio: expected true or false'],
    [{ subaudio: 'maybe' }, 'subaudio: expected true or false'],
    [{ waittrack: 'sound' }, "waittrack: expected 'video', 'audio' or 'all'"],
    [{ waittrackargname: 'secret', secret: 'hush' }, "waittrack: expected 'video', 'audio' or 'all'"],
  ]
  for (const [params, message] of invalid) {
    it(`refuses ${new URLSearchParams(params).toString()}`, () => {
      expect(() => applySubscribeOverrides(subscribe, params))
        .to.throw(InvalidRequest)
        .with.property('message', message)
    })
  }

  it('gives a complete config or refuses, for any query', () => {
    const names = fc.constantFrom(
      'buffertime',
      'BufferTimeArgName',
      'submode',
      'iframeonly',
      'waittimeout',
      'x',
      '__proto__',
    )
    const texts = fc.oneof(fc.string(), fc.constantFrom('1s', '2', 'true', 'x', 'submode', '[1]', '{', ','))
    fc.assert(
      fc.property(fc.dictionary(names, texts), (params) => {
        try {
          expect(applySubscribeOverrides(subscribe, params)).to.have.all.keys(...Object.keys(subscribe))
        } catch (error) {
          expect(error).to.be.instanceOf(InvalidRequest)
        }
      }),
    )
  })
})
