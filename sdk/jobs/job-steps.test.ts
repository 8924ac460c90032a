import { expect } from 'chai'
import { JobSteps } from './job-steps.ts'

describe('JobSteps', () => {
  it('ends one with the next, and tells why the last one failed', () => {
    const steps = new JobSteps()
    steps.begin('connect')
    steps.begin('describe', 'asks for the tracks')
    expect(steps.list.map(({ name, completedAt }) => [name, completedAt === undefined])).to.eql([
      ['connect', false],
      ['describe', true],
    ])
    expect(steps.current).to.equal(1)
    steps.complete('it is not there')
    steps.complete('too late')
    expect(steps.list.map(({ error }) => error)).to.eql(['', 'it is not there'])
  })

  it('begins anew with each try', () => {
    const steps = new JobSteps()
    steps.begin('connect')
    steps.restart()
    expect(steps.list).to.eql([])
    expect(steps.current).to.equal(0)
  })

  it('keeps account of the first ones of a try that takes many', () => {
    const steps = new JobSteps()
    for (let index = 0; index < 1000; index++) steps.begin(String(index))
    expect(steps.list.length).to.be.lessThan(100)
    expect(steps.list.at(-1)?.completedAt).to.not.equal(undefined)
  })
})
