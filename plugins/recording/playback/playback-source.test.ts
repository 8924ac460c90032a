import { expect } from 'chai'
import { InvalidRequest } from 'sluice/sdk'
import { PlaybackSource } from './playback-source.ts'

describe('who asks for a stream at a time', () => {
  const source = new PlaybackSource({
    open: () => Promise.reject(new Error('nothing is recorded')),
    pluginOf: () => 'mp4',
    anyPlugin: () => 'mp4',
  })
  const lead = (streamPath: string, params: Record<string, string>, type: 'server' | 'api' = 'server') =>
    source.lead({ type, streamPath, params })

  it('is led to its recordings', () => {
    const params = { start: '2023-11-14T23:13:20 01:00', end: '2023-11-14T23:14:20 01:00' }
    expect(lead('live/a', params)).to.eql({ streamPath: 'vod_any_1/live/a', params })
    expect(lead('live/a', { range: '~1700000000' })?.streamPath).to.equal('vod_any_2/live/a')
    expect(lead('live/a', { end: 'whenever' })).to.equal(undefined)
    expect(lead('vod_mp4_7/live/a', { start: '1700000000' })).to.equal(undefined)
    expect(lead('gb_7/live/a', { start: 'its own' })).to.equal(undefined)
  })

  it('is told so where the time is none', () => {
    for (const [streamPath, params] of [
      ['live/a', { start: 'yesterday' }],
      ['live/a', { start: '1700000000', end: 'tomorrow' }],
      ['live/a', { start: '1700000001', end: '1700000000' }],
      ['live/a', { range: '1' }],
      ['vod_mp4_7/live/a', { start: 'yesterday' }],
      ['vod_any_7/live/a', { end: 'yesterday' }],
    ] as const) {
      expect(() => lead(streamPath, params), JSON.stringify(params)).to.throw(InvalidRequest)
      expect(lead(streamPath, params, 'api')).to.equal(undefined)
    }
  })
})
