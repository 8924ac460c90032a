import { expect } from 'chai'
import { ManualClock } from 'sluice/sdk/testing'
import { videoTrack } from './fixtures/media.ts'
import { KeyframeRequests } from './keyframe-requests.ts'

const INTERVAL_MS = 1000

describe('KeyframeRequests', () => {
  let clock: ManualClock
  let asked: string[]
  let requests: KeyframeRequests

  beforeEach(() => {
    clock = new ManualClock(5000)
    asked = []
    requests = new KeyframeRequests({
      ask: ({ id }) => void asked.push(`${id} at ${clock.now()}`),
      intervalMs: INTERVAL_MS,
      setTimeout(callback, delayMs) {
        const timer = clock.setTimeout(callback, delayMs)
        return () => clock.clear(timer)
      },
    })
  })

  const request = (id = 0) => requests.request(videoTrack({ id }), clock.now())

  it('ask at once, and once in an interval for all who want one', () => {
    for (let asker = 0; asker < 5; asker++) request()
    expect(asked).to.eql(['0 at 5000'])
    clock.advance(400)
    request()
    request()
    clock.advance(599)
    expect(asked).to.have.length(1)
    clock.advance(1)
    expect(asked).to.eql(['0 at 5000', '0 at 6000'])
    clock.advance(10_000)
    expect(asked).to.have.length(2)
    request()
    expect(asked).to.eql(['0 at 5000', '0 at 6000', '0 at 16000'])
  })

  it('are answered by a keyframe that comes by itself', () => {
    request()
    clock.advance(400)
    request()
    requests.keyframe(0, clock.now())
    clock.advance(700)
    expect(asked).to.have.length(1)
    request()
    clock.advance(300)
    expect(asked).to.eql(['0 at 5000', '0 at 6400'])
  })

  it('are counted by track', () => {
    request(0)
    request(1)
    expect(asked).to.eql(['0 at 5000', '1 at 5000'])
  })

  it('leave nothing behind', () => {
    request()
    request()
    requests.close()
    clock.advance(INTERVAL_MS)
    expect(asked).to.have.length(1)
    expect(clock.pending).to.equal(0)
  })
})
