import { expect } from 'chai'
import { LATENCY_BUCKETS, type MetricInit } from '../../plugin/metrics.ts'
import { HistogramValue } from './metric-kinds.ts'
import { MAX_FAMILIES } from './metric-shape.ts'
import { MetricTable } from './metric-table.ts'
import { MAX_LABEL_LENGTH } from './series-table.ts'

const LOST = { name: 'lost_total', help: 'Lost', labels: ['reason'] } as const

describe('metrics', () => {
  const failures: unknown[] = []
  let table: MetricTable
  beforeEach(() => {
    failures.splice(0)
    table = new MetricTable({ onError: (name, error) => failures.push([name, error]) })
  })

  function start(prefix = 'sluice_srt_') {
    const owner = {}
    table.activate(owner)
    return { owner, metrics: table.registryFor(owner, prefix) }
  }

  /** The series of a family, by its labels as text. */
  function values(name: string): Record<string, unknown> | undefined {
    const family = table.snapshot().find((other) => other.name === name)
    return family && Object.fromEntries(family.series.map(({ labels, value }) => [labels, value]))
  }

  it('count, measure and sort by size', () => {
    const { metrics } = start()
    const lost = metrics.counter(LOST)
    lost.with({ reason: 'late' }).add()
    lost.with({ reason: 'late' }).add(2)
    const window = metrics.gauge({ name: 'window_bytes', help: 'Window' }).with()
    window.set(5)
    window.add(-2)
    const rtt = metrics.histogram({ name: 'rtt_seconds', help: 'Round trip', buckets: LATENCY_BUCKETS }).with()
    for (const seconds of [0.001, 0.0011, 40, Number.NaN]) rtt.observe(seconds)
    expect(values('sluice_srt_lost_total')).to.eql({ 'reason="late"': 3 })
    expect(values('sluice_srt_window_bytes')).to.eql({ '': 3 })
    const { '': histogram } = values('sluice_srt_rtt_seconds') ?? {}
    expect(histogram).to.be.instanceOf(HistogramValue)
    expect(histogram).to.have.property('sum', 40.0021)
    expect((histogram as HistogramValue).counts).to.eql([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  })

  it('refuse to take from a counter', () => {
    const counter = start().metrics.counter(LOST).with({ reason: 'late' })
    for (const amount of [-1, Number.NaN, Infinity]) expect(() => counter.add(amount)).to.throw(RangeError)
  })

  it('put what is beyond the bound of a family into one series, and count that', () => {
    const lost = start().metrics.counter({ ...LOST, maxSeries: 2 })
    for (const reason of ['a', 'b', 'c', 'd', 'a', 'c']) lost.with({ reason }).add()
    expect(values('sluice_srt_lost_total')).to.eql({ 'reason="a"': 2, 'reason="b"': 1, 'reason="other"': 3 })
    expect(table.overflows()).to.eql([{ name: 'sluice_srt_lost_total', count: 3 }])
    lost.remove({ reason: 'a' })
    lost.with({ reason: 'e' }).add()
    expect(values('sluice_srt_lost_total')).to.eql({ 'reason="b"': 1, 'reason="e"': 1, 'reason="other"': 3 })
  })

  it('bound what is read as well, and cut long labels', () => {
    const readings = ['a', 'b', 'c', 'x'.repeat(1000)].map((queue) => ({ labels: { queue }, value: 1 }))
    start().metrics.gauge({ name: 'depth', help: 'Depth', labels: ['queue'], maxSeries: 2, read: () => readings })
    expect(values('sluice_srt_depth')).to.eql({ 'queue="a"': 1, 'queue="b"': 1, 'queue="other"': 2 })
    expect(table.overflows()).to.eql([{ name: 'sluice_srt_depth', count: 2 }])
    start('other_').metrics.gauge({ name: 'depth', help: 'Depth', labels: ['queue'], read: () => readings })
    expect(Object.keys(values('other_depth') ?? {})[3]).to.have.length('queue=""'.length + MAX_LABEL_LENGTH)
  })

  it('go on without a family that can not be read', () => {
    const { metrics } = start()
    const error = new Error('broken')
    metrics.gauge({
      name: 'broken',
      help: 'Broken',
      read() {
        throw error
      },
    })
    metrics.counter(LOST).with({ reason: 'a' }).add()
    expect(values('sluice_srt_broken')).to.eql({})
    expect(values('sluice_srt_lost_total')).to.eql({ 'reason="a"': 1 })
    expect(failures[0]).to.eql(['sluice_srt_broken', error])
  })

  it('go on in the next generation, which adds up with the one before, and are gone with the last', () => {
    const first = start()
    const second = start()
    const depth = { name: 'depth', help: 'Depth' }
    first.metrics.counter(LOST).with({ reason: 'a' }).add(5)
    first.metrics.gauge({ ...depth, read: () => [{ value: 2 }] })
    second.metrics.counter(LOST).with({ reason: 'a' }).add(1)
    second.metrics.gauge({ ...depth, read: () => [{ value: 3 }] })
    expect([values('sluice_srt_lost_total'), values('sluice_srt_depth')]).to.eql([{ 'reason="a"': 6 }, { '': 5 }])
    table.removeOwner(first.owner)
    expect([values('sluice_srt_lost_total'), values('sluice_srt_depth')]).to.eql([{ 'reason="a"': 6 }, { '': 3 }])
    table.removeOwner(second.owner)
    expect(table.snapshot()).to.eql([])
  })

  it('of another shape take the place of those before once their generation is active, and give it back', () => {
    const { metrics } = start()
    metrics.counter(LOST).with({ reason: 'a' }).add()
    const owner = {}
    const next = table.registryFor(owner, 'sluice_srt_')
    next
      .counter({ ...LOST, labels: ['cause'] })
      .with({ cause: 'b' })
      .add()
    next.counter({ name: 'new_total', help: 'New' })
    expect(values('sluice_srt_lost_total')).to.eql({ 'reason="a"': 1 })
    expect(values('sluice_srt_new_total')).to.equal(undefined)
    table.activate(owner)
    expect(values('sluice_srt_lost_total')).to.eql({ 'cause="b"': 1 })
    expect(values('sluice_srt_new_total')).to.eql({})
    table.removeOwner(owner)
    expect(values('sluice_srt_lost_total')).to.eql({ 'reason="a"': 1 })
  })

  it('are refused when malformed, taken or too many', () => {
    const { metrics } = start()
    const malformed: readonly Partial<MetricInit<string>>[] = [
      { name: 'Lost_total' },
      { name: 'lost' },
      { name: 'lost__total' },
      { help: '' },
      { help: 'a\nb' },
      { labels: ['le'] },
      { labels: ['a', 'a'] },
      { labels: ['__a'] },
      { labels: 'abcdefghi'.split('') },
      { maxSeries: 0 },
      { maxSeries: 1e9 },
    ]
    for (const change of malformed) {
      expect(() => metrics.counter<string>({ ...LOST, ...change }), JSON.stringify(change)).to.throw(TypeError)
    }
    for (const name of ['depth_total', 'depth_sum', 'depth_bucket', 'depth_count']) {
      expect(() => metrics.gauge({ name, help: 'Depth' }), name).to.throw(TypeError)
    }
    for (const buckets of [[], [2, 1], [1, Infinity], Array.from({ length: 31 }, (_, i) => i)]) {
      expect(() => metrics.histogram({ name: 'took', help: 'Took', buckets })).to.throw(TypeError, 'buckets')
    }
    start('').metrics.gauge({ name: 'sluice_srt_taken', help: "The server's" })
    expect(() => metrics.gauge({ name: 'taken', help: 'Mine' })).to.throw(TypeError, 'the name is taken')
    for (let i = 0; i < MAX_FAMILIES; i++) metrics.gauge({ name: `gauge${i}`, help: 'One of many' })
    expect(() => metrics.gauge({ name: 'more', help: 'One more' })).to.throw(TypeError, 'already')
  })
})
