import { expect } from 'chai'
import { fieldOf, NEW_PULL, pullBody } from './pull-values.ts'

describe('the request of the form of a pull', () => {
  it('has what is said of it, and leaves the rest to the config', () => {
    expect(pullBody({ ...NEW_PULL, remoteURL: ' rtsp://a/b ' })).to.eql({ remoteURL: 'rtsp://a/b' })
    expect(
      pullBody({
        remoteURL: 'a.mp4',
        streamPath: 'live/a',
        protocol: 'mp4',
        loop: -1,
        isTest: true,
        terms: { pubAudio: 'false', idleTimeout: ' 10s', speed: '' },
      }),
    ).to.eql({
      remoteURL: 'a.mp4',
      streamPath: 'live/a',
      protocol: 'mp4',
      loop: -1,
      testMode: 1,
      pubAudio: 'false',
      idleTimeout: '10s',
    })
  })

  it('is refused at the field that the server names', () => {
    expect(fieldOf("pausetimeout: expected a duration such as '10s'")).to.equal('pauseTimeout')
    expect(fieldOf('remoteURL is no address')).to.equal('remoteURL')
    expect(fieldOf('the address does not tell its protocol; give it as protocol')).to.equal('remoteURL')
    expect(fieldOf('stream exist')).to.equal('streamPath')
    expect(fieldOf("can't connect to 127.0.0.1:1: nobody listens there")).to.equal(undefined)
  })
})
