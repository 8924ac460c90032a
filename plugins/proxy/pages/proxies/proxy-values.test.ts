import { expect } from 'chai'
import { fieldOf, NEW, pullBody, pushBody, UNSAID, valuesOf } from './proxy-values.ts'
import type { Proxy } from './proxy.ts'

const GATE: Proxy = {
  ID: 1,
  createTime: '2026-01-31T08:00:00Z',
  updateTime: '2026-01-31T08:00:00Z',
  parentID: 0,
  name: 'Gate',
  type: 'rtsp',
  error: '',
  isFixed: false,
  status: 1,
  audio: true,
  description: '',
  rtt: 2,
  streamPath: 'cam/gate',
  address: 'rtsp://******@192.0.2.10/stream1',
  beginsAlone: false,
  pull: { stopOnIdle: true, recordPath: '', recordFragment: '0s', checkInterval: '10s' },
}

describe('the request of the form of a proxy', () => {
  it('has what was said of a new one, and lets the server choose the rest', () => {
    expect(pullBody({ ...NEW, address: 'rtsp://a/b', name: 'Gate' }, UNSAID)).to.eql({
      pullURL: 'rtsp://a/b',
      name: 'Gate',
      audio: true,
      stopOnIdle: true,
    })
    expect(pushBody({ ...UNSAID, address: 'rtmp://a/b', streamPath: 'live/a', beginsAlone: true }, UNSAID)).to.eql({
      pushURL: 'rtmp://a/b',
      streamPath: 'live/a',
      pushOnStart: true,
    })
  })

  it('has the changes alone, and never the address as it is shown', () => {
    const before = valuesOf(GATE)
    expect(pullBody(before, before)).to.eql({})
    expect(pullBody({ ...before, name: '', audio: false, recordPath: 'gate', address: 'rtsp://c/d' }, before)).to.eql({
      name: '',
      audio: false,
      recordPath: 'gate',
      pullURL: 'rtsp://c/d',
    })
    expect(JSON.stringify(before)).not.to.include('******')
  })
})

describe('a message of the server', () => {
  it('is shown at the field that it is about, if it is about one', () => {
    expect(fieldOf('pullURL is missing')).to.equal('address')
    expect(fieldOf('the address has blanks in it')).to.equal('address')
    expect(fieldOf("checkInterval: expected a duration such as '10s'")).to.equal('checkInterval')
    expect(fieldOf('the stream path has a character that is not allowed')).to.equal('streamPath')
    expect(fieldOf('there are 10000 proxies already')).to.equal(undefined)
  })
})
