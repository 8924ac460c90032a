import { expect } from 'chai'
import { rejectionOf } from '../../test/support/rejection.ts'
import { StreamUnavailable } from '../errors/stream-errors.ts'
import { WorkQueue } from './work-queue.ts'

describe('WorkQueue', () => {
  it('has so many at work, lets others wait in their order, and turns more away', async () => {
    const queue = new WorkQueue({ working: 2, waiting: 3, refusal: 'too many' })
    const stops = Array.from({ length: 6 }, () => new AbortController())
    const begun: number[] = []
    const turns = stops.map(async ({ signal }, index) => {
      const end = await queue.enter({ signal })
      begun.push(index)
      return end
    })
    const refusal = await rejectionOf(turns[5]!)
    expect(refusal).to.be.instanceOf(StreamUnavailable)
    expect(refusal).to.have.deep.property('headers', { 'retry-after': '2' })
    expect(begun).to.eql([0, 1])
    stops[2]!.abort(new Error('left'))
    expect(await rejectionOf(turns[2]!)).to.have.property('message', 'left')
    const end = await turns[0]!
    end()
    end()
    await turns[3]
    expect(begun).to.eql([0, 1, 3])
    for (const index of [1, 3]) (await turns[index]!)()
    await turns[4]
    expect(begun).to.eql([0, 1, 3, 4])
  })

  it('begins work at once where there is room, and the next one with the end of another', async () => {
    const queue = new WorkQueue({ working: 2 })
    const log: string[] = []
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const done = gates.map((gate, index) =>
      queue.run(async () => {
        log.push(`begin ${index}`)
        await gate.promise
        log.push(`end ${index}`)
      }),
    )
    expect(log).to.eql(['begin 0', 'begin 1'])
    gates[1]!.resolve()
    await done[1]
    await Promise.resolve()
    expect(log).to.eql(['begin 0', 'begin 1', 'end 1', 'begin 2'])
    for (const gate of gates) gate.resolve()
    await Promise.all(done)
    expect(log.filter((line) => line.startsWith('begin'))).to.eql(['begin 0', 'begin 1', 'begin 2', 'begin 3'])
  })

  it('lets the patient wait when others are turned away, and has room again when one leaves', async () => {
    const queue = new WorkQueue({ working: 1, waiting: 1 })
    const gate = Promise.withResolvers<void>()
    const first = queue.run(() => gate.promise)
    const control = new AbortController()
    const leaving = rejectionOf(queue.run(async () => 'never', { signal: control.signal }))
    expect(await rejectionOf(queue.run(async () => {}))).to.be.instanceOf(StreamUnavailable)
    const patient = queue.run(async () => 'patient', { isPatient: true })
    control.abort(new Error('left'))
    expect(await leaving).to.have.property('message', 'left')
    gate.resolve()
    await first
    expect(await patient).to.equal('patient')
    expect(await queue.run(async () => 'free')).to.equal('free')
  })

  it('gives the turn of work that fails to the next', async () => {
    const queue = new WorkQueue({ working: 1 })
    const failing = rejectionOf(queue.run(() => Promise.reject(new Error('failed'))))
    expect(await queue.run(async () => 'next')).to.equal('next')
    await failing
  })
})
