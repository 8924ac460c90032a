import { expect } from 'chai'
import { groupsOf } from './metric-groups.ts'
import { MetricHistory } from './metric-history.ts'
import type { MetricFamily, MetricSeries } from './metrics-text.ts'

function family(type: string, ...series: MetricSeries[]): MetricFamily {
  return { name: 'a_metric', help: '', type, series }
}

describe('the graph of a metric', () => {
  let history: MetricHistory
  beforeEach(() => (history = new MetricHistory()))

  it('of gauges has their values, the greatest of now first', () => {
    history.add(family('gauge', { labels: 'a', value: 9 }, { labels: 'b', value: 2 }), 10)
    history.add(family('gauge', { labels: 'a', value: 1 }, { labels: 'b', value: 3 }), 15)
    const { times, lines } = history.lines()
    expect(times).to.eql([10, 15])
    expect(lines).to.eql([
      { name: 'b', values: [2, 3] },
      { name: 'a', values: [9, 1] },
    ])
  })

  it('of counters has their rates, and a gap where they began anew', () => {
    for (const [timeS, value] of [
      [10, 100],
      [15, 200],
      [20, 0],
      [30, 50],
    ] as const) {
      history.add(family('counter', { labels: '', value }), timeS)
    }
    expect(history.lines()).to.eql({ times: [15, 20, 30], lines: [{ name: '', values: [20, null, 5] }] })
  })

  it('of histograms has the mean of what came', () => {
    history.add(family('histogram', { labels: '', value: 10, sum: 5 }), 10)
    history.add(family('histogram', { labels: '', value: 14, sum: 6 }), 20)
    history.add(family('histogram', { labels: '', value: 14, sum: 6 }), 30)
    expect(history.lines()).to.eql({ times: [20, 30], lines: [{ name: '', values: [0.25, null] }] })
  })
})

describe('the groups of metrics', () => {
  it('are those whose names begin alike', () => {
    const names = ['sluice_http_a', 'process_b', 'sluice_streams', 'sluice_http_c', 'sluice_muxers']
    const groups = groupsOf(names.map((name) => ({ ...family('gauge'), name })))
    expect(groups.map(({ name, families }) => [name, families.map((one) => one.name)])).to.eql([
      ['process', ['process_b']],
      ['sluice', ['sluice_streams', 'sluice_muxers']],
      ['sluice_http', ['sluice_http_a', 'sluice_http_c']],
    ])
  })
})
