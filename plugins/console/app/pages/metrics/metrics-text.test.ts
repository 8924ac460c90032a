import { expect } from 'chai'
import { parseMetrics } from './metrics-text.ts'

const TEXT = `# HELP sluice_streams Streams with a publisher
# TYPE sluice_streams gauge
sluice_streams 3
# HELP sluice_stream_sent_bytes_total Bytes, a \\\\ and more
# TYPE sluice_stream_sent_bytes_total counter
sluice_stream_sent_bytes_total{stream="live/a b} 7",kind="x\\"y"} 12345
sluice_stream_sent_bytes_total{stream="live/c"} 1e+3
# HELP sluice_gc_seconds Garbage
# TYPE sluice_gc_seconds histogram
sluice_gc_seconds_bucket{kind="major",le="0.1"} 3
sluice_gc_seconds_bucket{kind="major",le="+Inf"} 4
sluice_gc_seconds_sum{kind="major"} 0.5
sluice_gc_seconds_count{kind="major"} 4
# TYPE open_count gauge
open_count +Inf

nonsense {
`

describe('the text of metrics', () => {
  it('is read by families, with the labels as they are, and histograms by their counts and sums', () => {
    expect(parseMetrics(TEXT)).to.eql([
      {
        name: 'sluice_streams',
        help: 'Streams with a publisher',
        type: 'gauge',
        series: [{ labels: '', value: 3 }],
      },
      {
        name: 'sluice_stream_sent_bytes_total',
        help: 'Bytes, a \\ and more',
        type: 'counter',
        series: [
          { labels: String.raw`stream="live/a b} 7",kind="x\"y"`, value: 12345 },
          { labels: 'stream="live/c"', value: 1000 },
        ],
      },
      {
        name: 'sluice_gc_seconds',
        help: 'Garbage',
        type: 'histogram',
        series: [{ labels: 'kind="major"', value: 4, sum: 0.5 }],
      },
      { name: 'open_count', help: '', type: 'gauge', series: [{ labels: '', value: Infinity }] },
    ])
  })
})
