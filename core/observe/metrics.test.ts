import { expect } from 'chai'
import { formatMetrics } from './metrics.ts'

describe('metrics text', () => {
  it('names, describes and lists each sample', () => {
    const text = formatMetrics([
      { name: 'up', help: 'Is up', type: 'gauge', samples: [{ value: 1 }] },
      {
        name: 'bytes_total',
        help: 'Bytes',
        type: 'counter',
        samples: [{ labels: { stream: 'live/a', kind: 'video' }, value: 12.5 }],
      },
    ])
    expect(text.split('\n')).to.deep.equal([
      '# HELP up Is up',
      '# TYPE up gauge',
      'up 1',
      '# HELP bytes_total Bytes',
      '# TYPE bytes_total counter',
      'bytes_total{stream="live/a",kind="video"} 12.5',
      '',
    ])
  })

  it('escapes what a label may not hold', () => {
    const samples = [{ labels: { stream: 'a"b\\c\nd' }, value: 0 }]
    const text = formatMetrics([{ name: 'x', help: 'X', type: 'gauge', samples }])
    expect(text).to.contain(String.raw`x{stream="a\"b\\c\nd"} 0`)
  })
})
