import { expect } from 'chai'
import { InvalidRequest } from 'sluice/sdk'
import { addressOfPath, addressOfUrl, playbackRangeOf } from './stream-address.ts'

const DEVICE = '34020000001320000001'
const CHANNEL = '34020000001310000001'

describe('the address of a channel', () => {
  it('is a path of two ids, or of recordings behind gb_<n>', () => {
    const address = { deviceId: DEVICE, channelId: CHANNEL }
    expect(addressOfPath(`${DEVICE}/${CHANNEL}`)).to.eql({ ...address, isPlayback: false })
    expect(addressOfPath(`gb_17/${DEVICE}/${CHANNEL}`)).to.eql({ ...address, isPlayback: true })
    for (const path of [
      'live',
      `${DEVICE}/${CHANNEL}/x`,
      `gb_/${DEVICE}/${CHANNEL}`,
      'a b/c',
      `gb_1/${DEVICE}`,
      'live/a_b',
    ])
      expect(addressOfPath(path)?.isPlayback ?? false, path).to.equal(false)
    expect(addressOfPath('live')).to.equal(undefined)
    expect(addressOfPath('a b/c')).to.equal(undefined)
  })

  it('is a URL, or two ids as proxies have them', () => {
    for (const url of [`gb28181://${DEVICE}/${CHANNEL}?start=1`, `${DEVICE}/${CHANNEL}?start=1`]) {
      const { query, ...address } = addressOfUrl(url)
      expect(address).to.eql({ deviceId: DEVICE, channelId: CHANNEL })
      expect(query.get('start')).to.equal('1')
    }
    expect(() => addressOfUrl('gb28181://one')).to.throw(InvalidRequest)
    expect(() => addressOfUrl('gb28181://one/two/three')).to.throw(InvalidRequest)
  })

  it('is of a time where its query has one', () => {
    expect(playbackRangeOf({})).to.equal(undefined)
    expect(playbackRangeOf({ start: '1700000000', end: '1700000060' })).to.eql({
      startMs: 1_700_000_000_000,
      endMs: 1_700_000_060_000,
    })
    expect(playbackRangeOf({ range: '1700000000-1700000060' })).to.eql({
      startMs: 1_700_000_000_000,
      endMs: 1_700_000_060_000,
    })
    expect(playbackRangeOf({ start: '1700000000' })?.endMs).to.be.closeTo(Date.now(), 60_000)
    expect(() => playbackRangeOf({ end: '1700000060' })).to.throw(InvalidRequest, 'start')
    expect(() => playbackRangeOf({ start: 'yesterday', end: '1700000060' })).to.throw(InvalidRequest)
  })
})
