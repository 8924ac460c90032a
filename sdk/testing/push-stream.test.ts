import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { StreamDenied } from '../errors/stream-errors.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import { pushStream, type PushTarget } from '../stream/push-stream.ts'
import { createFakeHost, type FakeHost } from './fake-host.ts'
import { sessionInit } from './fake-streams.ts'
import type { FakeSubscriber } from './fake-subscriber.ts'
import { pushRequest } from './job-requests.ts'
import { ScriptedPublisher } from './scripted-publisher.ts'

const STOPPED: CloseReason = { code: 'stopped', text: 'stopped by an operator' }

/** A target whose connection a test ends, and what became of it. */
class Target implements PushTarget {
  readonly calls: string[] = []
  readonly end = Promise.withResolvers<string>()
  /** Settles when it is asked to close. */
  readonly leaving = Promise.withResolvers<void>()
  /** Settles when it is closed. */
  left = Promise.withResolvers<void>()
  readonly closed = this.end.promise
  readonly send: () => void

  constructor(send: () => void = () => {}) {
    this.left.resolve()
    this.send = () => {
      this.calls.push('send')
      send()
    }
  }

  readonly close = (reason: CloseReason | undefined): Promise<void> => {
    this.calls.push(`close ${reason?.code ?? 'by the target'}`)
    this.leaving.resolve()
    return this.left.promise
  }
}

describe('pushStream', () => {
  let host: FakeHost<unknown>
  let stop: AbortController
  let begun: number

  beforeEach(async () => {
    host = await createFakeHost({ name: 'x', version: '1.0.0', setup: () => {} })
    const publisher = await host.streams.publish(sessionInit('live/a'))
    new ScriptedPublisher(publisher, {}).write(1)
    publisher.tracksComplete()
    stop = new AbortController()
    begun = 0
  })
  afterEach(() => host.dispose())

  type Open = Parameters<typeof pushStream>[2]

  function push(open: Open): Promise<CloseReason> {
    const request = pushRequest({ streamPath: 'live/a', url: 'x://a', signal: stop.signal, begun: () => (begun += 1) })
    return pushStream(host.streams, request, open)
  }

  const failureOf = (promise: Promise<unknown>) => promise.then(() => 'none', String)
  const subscriber = (): FakeSubscriber => host.streams.allSubscribers.at(-1)!

  it('sends until the subscriber ends, and tells why it did', async () => {
    const target = new Target(() => subscriber().close(STOPPED))
    expect(await push(async () => target)).to.eql(STOPPED)
    expect(target.calls).to.eql(['send', 'close stopped'])
    expect(begun).to.equal(1)
  })

  it('is over when the target is left, and not before', async () => {
    const target = new Target(() => subscriber().close(STOPPED))
    target.left = Promise.withResolvers<void>()
    const states: string[] = []
    const pushed = push(async () => target).then(() => states.push('over'))
    await target.leaving.promise
    await turn()
    states.push('left')
    target.left.resolve()
    await pushed
    expect(states).to.eql(['left', 'over'])
  })

  it('fails as the connection does, and ends the subscriber', async () => {
    const broken = new Target()
    broken.end.resolve('closed by the peer')
    expect(await failureOf(push(async () => broken))).to.equal('Error: the connection has ended: closed by the peer')
    const refusing = new Target()
    refusing.end.reject(new TypeError('the server said no'))
    expect(await failureOf(push(async () => refusing))).to.equal('TypeError: the server said no')
    for (const { calls } of [broken, refusing]) expect(calls).to.eql(['send', 'close by the target'])
    expect(host.streams.allSubscribers.map(({ closeReason }) => closeReason)).to.eql(
      Array(2).fill('the push has ended'),
    )
  })

  it('closes a target that can not be sent to', async () => {
    const target = new Target(() => {
      throw new Error('no room')
    })
    expect(await failureOf(push(async () => target))).to.equal('Error: no room')
    expect(target.calls).to.eql(['send', 'close by the target'])
    expect(begun).to.equal(0)
  })

  it('fails as opening does, and where nobody may play', async () => {
    expect(await failureOf(push(() => Promise.reject(new Error('unreachable'))))).to.equal('Error: unreachable')
    host.streams.subscribe = () => Promise.reject(new StreamDenied('by the test'))
    expect(await push(async () => new Target()).catch((error: unknown) => error)).to.be.instanceOf(StreamDenied)
  })

  it('gives up opening when the subscriber ends, and tells why that did', async () => {
    const pushed = push((session, signal) => {
      queueMicrotask(() => session.close(STOPPED))
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')))
      })
    })
    expect(await pushed).to.eql(STOPPED)
  })

  it('leaves a target that opened as the subscriber ended, and sends it nothing', async () => {
    const target = new Target()
    const pushed = push(async (session) => {
      session.close(STOPPED)
      return target
    })
    expect(await pushed).to.eql(STOPPED)
    expect([target.calls, begun]).to.eql([['close stopped'], 0])
  })

  it('lets what is open alone when the subscriber ends: it is left in its own way', async () => {
    let opening: AbortSignal | undefined
    await push(async (session, signal) => {
      opening = signal
      return new Target(() => session.close(STOPPED))
    })
    expect(opening?.aborted).to.equal(false)
  })

  it('is stopped by the signal while it opens', async () => {
    const pushed = push((_session, signal) => {
      queueMicrotask(() => stop.abort())
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')))
      })
    })
    expect(await failureOf(pushed)).to.equal('Error: the push was stopped')
    expect(subscriber().closeReason).to.equal('the push has ended')
  })

  it('is stopped by the signal while it sends', async () => {
    const target = new Target(() => stop.abort())
    expect(await failureOf(push(async () => target))).to.equal('Error: the push was stopped')
    expect(target.calls).to.eql(['send', 'close by the target'])
  })
})
