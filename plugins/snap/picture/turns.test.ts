import { expect } from 'chai'
import { TooMany, Turns } from './turns.ts'

describe('Turns', () => {
  it('lets so many work at a time, in the order in which they came', async () => {
    const turns = new Turns(2, 10)
    const log: string[] = []
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const done = gates.map((gate, index) =>
      turns.run(
        async () => {
          log.push(`begin ${index}`)
          await gate.promise
          log.push(`end ${index}`)
        },
        { isPatient: false },
      ),
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

  it('turns away who comes when too many wait, unless patient, and has room again when one leaves', async () => {
    const turns = new Turns(1, 1)
    const gate = Promise.withResolvers<void>()
    const first = turns.run(() => gate.promise, { isPatient: false })
    const control = new AbortController()
    const leaving = turns
      .run(async () => 'never', { isPatient: false, signal: control.signal })
      .catch(({ message }: Error) => message)
    const refused = await turns.run(async () => {}, { isPatient: false }).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(TooMany)
    const patient = turns.run(async () => 'patient', { isPatient: true })
    control.abort(new Error('left'))
    expect(await leaving).to.equal('left')
    gate.resolve()
    await first
    expect(await patient).to.equal('patient')
    expect(await turns.run(async () => 'free', { isPatient: false })).to.equal('free')
  })

  it('gives the turn of one that fails to the next', async () => {
    const turns = new Turns(1, 5)
    const failing = turns.run(() => Promise.reject(new Error('failed')), { isPatient: false }).catch(() => {})
    expect(await turns.run(async () => 'next', { isPatient: false })).to.equal('next')
    await failing
  })
})
