import { expect } from 'chai'
import { WaitingRequests, type WaitingRequest } from './waiting-requests.ts'

class Request implements WaitingRequest {
  readonly deadlineMs = 100
  gone = false
  ready = false
  error: Error | undefined
  readonly told: string[] = []

  answer(): boolean {
    if (this.error !== undefined) throw this.error
    if (this.ready) this.told.push('answer')
    return this.ready
  }

  expire(): void {
    this.told.push('expire')
  }

  ended(): void {
    this.told.push('ended')
  }
}

describe('requests that wait', () => {
  let errors: unknown[]
  let waiting: WaitingRequests
  let requests: Request[]
  beforeEach(() => {
    errors = []
    waiting = new WaitingRequests((error) => errors.push(error))
    requests = [new Request(), new Request(), new Request()]
    for (const request of requests) waiting.add(request)
  })

  const told = () => requests.map((request) => request.told.join(' '))

  it('are answered when what they wait for is there, each once', () => {
    requests[1]!.ready = true
    waiting.release()
    waiting.release()
    expect(told()).to.eql(['', 'answer ended', ''])
    expect(waiting.count).to.equal(2)
  })

  it('are answered when their time is over', () => {
    waiting.expire(99)
    expect(told()).to.eql(['', '', ''])
    waiting.expire(100)
    expect(told()).to.eql(['expire ended', 'expire ended', 'expire ended'])
    expect(waiting.count).to.equal(0)
  })

  it('are forgotten when nobody waits any more', () => {
    requests[0]!.gone = true
    requests[0]!.ready = true
    waiting.expire(0)
    expect(told()).to.eql(['ended', '', ''])
  })

  it('do not suffer from one that fails', () => {
    const error = new Error('no playlist')
    requests[0]!.error = error
    requests[1]!.ready = true
    waiting.release()
    expect(told()).to.eql(['expire ended', 'answer ended', ''])
    expect(errors).to.eql([error])
  })
})
