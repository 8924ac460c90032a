import { expect } from 'chai'
import { MetricTable, type MetricSnapshot } from 'sluice/sdk/host'
import { acceptedFormat, writeMetrics } from './exposition.ts'

function families(): MetricSnapshot[] {
  const owner = {}
  const table = new MetricTable({ onError: () => {} })
  const metrics = table.registryFor(owner, '')
  table.activate(owner)
  metrics.gauge({ name: 'up', help: 'Is "up" \\ down' }).with().set(1)
  const bytes = metrics.counter({ name: 'bytes_total', help: 'Bytes', labels: ['stream', 'kind'] })
  bytes.with({ stream: 'a"b\\c\nd', kind: 'video' }).add(12.5)
  const seconds = metrics.histogram({ name: 'took_seconds', help: 'Took', labels: ['gate'], buckets: [0.1, 1] })
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.with({ gate: 'g' }).observe(value)
  metrics.gauge({ name: 'edge', help: 'Edges', read: () => [{ value: -Infinity }] })
  metrics.counter({ name: 'none_total', help: 'Nothing' })
  return table.snapshot()
}

describe('the exposition of metrics', () => {
  it('in text names, describes and lists each series, and escapes what it may not hold', () => {
    expect(writeMetrics(families(), 'text').split('\n')).to.deep.equal([
      '# HELP up Is "up" \\\\ down',
      '# TYPE up gauge',
      'up 1',
      '# HELP bytes_total Bytes',
      '# TYPE bytes_total counter',
      String.raw`bytes_total{stream="a\"b\\c\nd",kind="video"} 12.5`,
      '# HELP took_seconds Took',
      '# TYPE took_seconds histogram',
      'took_seconds_bucket{gate="g",le="0.1"} 2',
      'took_seconds_bucket{gate="g",le="1"} 3',
      'took_seconds_bucket{gate="g",le="+Inf"} 4',
      'took_seconds_sum{gate="g"} 7.65',
      'took_seconds_count{gate="g"} 4',
      '# HELP edge Edges',
      '# TYPE edge gauge',
      'edge -Inf',
      '# HELP none_total Nothing',
      '# TYPE none_total counter',
      '',
    ])
  })

  it('in OpenMetrics names counters without their suffix, escapes quotes in help, and ends with EOF', () => {
    const lines = writeMetrics(families(), 'openmetrics').split('\n')
    expect(lines).to.include.members(['# HELP bytes Bytes', '# TYPE bytes counter', '# HELP up Is \\"up\\" \\\\ down'])
    expect(lines.filter((line) => line.startsWith('bytes_total{'))).to.have.length(1)
    expect(lines.slice(-2)).to.eql(['# EOF', ''])
  })

  it('is in the format that the client prefers', () => {
    const prometheus = [
      'application/openmetrics-text;version=1.0.0;q=0.5',
      'application/openmetrics-text;version=0.0.1;q=0.4',
      'text/plain;version=0.0.4;q=0.3',
      '*/*;q=0.2',
    ].join(',')
    const cases: readonly (readonly [string | undefined, string])[] = [
      [undefined, 'text'],
      ['', 'text'],
      ['*/*', 'text'],
      [prometheus, 'openmetrics'],
      ['application/openmetrics-text', 'openmetrics'],
      ['Application/OpenMetrics-Text; Version=1.0.0', 'openmetrics'],
      ['application/openmetrics-text;version=2.0.0', 'text'],
      ['application/openmetrics-text;q=0', 'text'],
      ['text/plain, application/openmetrics-text;q=0.9', 'text'],
      ['text/html,application/xhtml+xml,*/*;q=0.8', 'text'],
      [`${'x'.repeat(2000)},application/openmetrics-text`, 'text'],
    ]
    for (const [accept, format] of cases) expect(acceptedFormat(accept), accept).to.equal(format)
  })
})
