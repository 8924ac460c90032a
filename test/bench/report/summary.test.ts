import { expect } from 'chai'
import type { Measurement } from '../scenarios/scenario.ts'
import { distributionOf, median } from '../statistics.ts'
import { ratiosOf, summarize } from './summary.ts'
import { formatTable } from './table.ts'

function measured(server: string, round: number, cpu: number | undefined): Measurement {
  return { scenario: 'fanout', server, format: 'rtmp', count: 5, round, loadAverage: 0, values: { cpu } }
}

describe('summary of the benchmark', () => {
  it('has medians over rounds and ratios between them', () => {
    const rounds = [3, 1, 2].flatMap((cpu, round) => [
      measured('sluice auto', round, cpu),
      measured('peer', round, cpu * 4),
    ])
    const summaries = summarize(rounds)
    expect(summaries.map(({ server, medians, rounds }) => [server, medians['cpu'], rounds])).to.eql([
      ['sluice auto', 2, 3],
      ['peer', 8, 3],
    ])
    expect(ratiosOf(summaries, ['cpu'])).to.eql([
      { server: 'sluice auto', peer: 'peer', format: 'rtmp', count: 5, key: 'cpu', ratio: 0.25 },
    ])
  })

  it('leaves out what a server does not tell', () => {
    const [summary] = summarize([measured('peer', 1, undefined)])
    expect(summary?.medians).to.eql({ cpu: undefined })
  })

  it('aligns its tables', () => {
    expect(formatTable(['a', 'n'], [['name', '1.5']])).to.equal('| a    |   n |\n| ---- | --: |\n| name | 1.5 |\n')
  })
})

describe('statistics', () => {
  it('know the median', () => {
    expect(median([3, 1, 2])).to.equal(2)
    expect(median([4, 1, 2, 3])).to.equal(2.5)
    expect(median([])).to.be.NaN
  })

  it('know percentiles', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect(distributionOf(values)).to.eql({ p50: 50, p99: 99, max: 100, count: 100 })
    expect(distributionOf([]).p99).to.be.NaN
  })
})
