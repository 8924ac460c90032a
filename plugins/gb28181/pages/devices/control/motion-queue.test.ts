import { expect } from 'chai'
import { MotionQueue } from './motion-queue.ts'
import { motionOfKeys, startRequest, stopRequest, type Motion, type MotionRequest } from './motion.ts'

const LEFT: Motion = { kind: 'move', x: -1, y: 0, zoom: 0 }
const UP: Motion = { kind: 'move', x: 0, y: 1, zoom: 0 }
const IRIS: Motion = { kind: 'iris', command: 'in' }

describe('what moves a camera', () => {
  it('has a speed, which is less for the zoom', () => {
    expect(startRequest(LEFT, 10).query).to.eql({ pan: -255, tilt: 0, zoom: 0 })
    expect(startRequest(UP, 1).query).to.eql({ pan: 0, tilt: 26, zoom: 0 })
    expect(startRequest({ kind: 'move', x: 0, y: 0, zoom: 1 }, 1).query).to.include({ zoom: 2 })
    expect(startRequest(IRIS, 5).query).to.eql({ command: 'in', speed: 128 })
    expect(stopRequest(IRIS)).to.deep.include({ query: { command: 'stop' }, isStop: true })
  })

  it('is of keys that are held together, and nothing of those against each other', () => {
    expect(motionOfKeys(new Set(['ArrowLeft', 'ArrowUp']))).to.eql({ kind: 'move', x: -1, y: 1, zoom: 0 })
    expect(motionOfKeys(new Set(['+']))).to.eql({ kind: 'move', x: 0, y: 0, zoom: 1 })
    expect(motionOfKeys(new Set(['ArrowLeft', 'ArrowRight']))).to.equal(undefined)
  })
})

describe('the queue of movements', () => {
  /** A queue whose requests are answered by the test. */
  function queued() {
    const sent: { readonly request: MotionRequest; readonly answer: PromiseWithResolvers<void> }[] = []
    const failures: string[] = []
    const queue = new MotionQueue(
      (request) => {
        const answer = Promise.withResolvers<void>()
        sent.push({ request, answer })
        return answer.promise
      },
      ({ message }) => failures.push(message),
    )
    const settle = async (fault?: string) => {
      const { answer } = sent.at(-1)!
      if (fault === undefined) answer.resolve()
      else answer.reject(new Error(fault))
      await new Promise((resolve) => setTimeout(resolve))
    }
    return { queue, sent, failures, settle }
  }

  it('sends one after another, and of those that wait the newest alone', async () => {
    const { queue, sent, settle } = queued()
    for (const request of [startRequest(LEFT, 5), startRequest(UP, 5), stopRequest(UP)]) queue.push(request)
    expect(sent).to.have.length(1)
    await settle()
    await settle()
    expect(sent.map(({ request }) => request.isStop)).to.eql([false, true])
    queue.push(startRequest(UP, 5))
    expect(sent).to.have.length(3)
  })

  it('stops each part of the camera, whatever follows', async () => {
    const { queue, sent, settle } = queued()
    for (const request of [startRequest(IRIS, 5), stopRequest(IRIS), startRequest(LEFT, 5)]) queue.push(request)
    for (let count = 0; count < 3; count += 1) await settle()
    expect(sent.map(({ request: { part, isStop } }) => [part, isStop])).to.eql([
      ['lens', false],
      ['lens', true],
      ['head', false],
    ])
  })

  it('tries three times to stop, and once to move', async () => {
    const { queue, sent, failures, settle } = queued()
    queue.push(startRequest(LEFT, 5))
    await settle('silent')
    expect([sent.length, failures]).to.eql([1, ['silent']])
    queue.push(stopRequest(LEFT))
    await settle('lost')
    await settle('lost')
    await settle()
    expect([sent.length, failures]).to.eql([4, ['silent']])
  })
})
