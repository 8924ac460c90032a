import { expect } from 'chai'
import { FIRST_PAGE_MS, MAX_ITEMS, PageCollector, QUIET_MS, SETTLE_MS } from './page-collector.ts'

type Item = { readonly id: string; readonly name?: string }
const ASKED_AT = 1_000_000

function items(...ids: readonly (string | number)[]): Item[] {
  return ids.map((id) => ({ id: String(id) }))
}

function range(from: number, count: number): Item[] {
  return items(...Array.from({ length: count }, (_, index) => from + index))
}

describe('answers in several messages', () => {
  let collector: PageCollector<Item>
  beforeEach(() => {
    collector = new PageCollector({ keyOf: ({ id }) => id, startMs: ASKED_AT })
  })

  /** Milliseconds from `sinceMs` until it is over. */
  function restMs(sinceMs: number): number {
    expect([collector.isOver(collector.endsAtMs - 1), collector.isOver(collector.endsAtMs)]).to.eql([false, true])
    return collector.endsAtMs - sinceMs
  }

  it('have two minutes to begin', () => {
    expect(restMs(ASKED_AT)).to.equal(FIRST_PAGE_MS)
    expect([collector.received, collector.total, collector.isComplete]).to.eql([0, undefined, false])
    collector.push({ sumNum: 1, items: items(1) }, ASKED_AT + FIRST_PAGE_MS)
    expect(collector.received).to.equal(0)
  })

  it('end when all that was announced has come', () => {
    const progress: (number | undefined)[][] = []
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      const nowMs = ASKED_AT + index * 5000
      collector.push({ sumNum: 3, items: items(id) }, nowMs)
      progress.push([collector.received, collector.total, restMs(nowMs)])
    }
    expect(progress).to.eql([
      [1, 3, QUIET_MS],
      [2, 3, QUIET_MS],
      [3, 3, SETTLE_MS],
    ])
    expect([collector.items.map(({ id }) => id), collector.isComplete]).to.eql([['a', 'b', 'c'], true])
  })

  it('end at once when there is nothing', () => {
    collector.push({ sumNum: 0, items: [] }, ASKED_AT + 5)
    expect([collector.isOver(ASKED_AT + 5), collector.isComplete, collector.total]).to.eql([true, true, 0])
  })

  it('end when nothing comes any more, where too many were announced or none', () => {
    collector.push({ sumNum: undefined, items: items(1) }, ASKED_AT)
    expect([restMs(ASKED_AT), collector.total, collector.isComplete]).to.eql([QUIET_MS, undefined, false])
    collector.push({ sumNum: 5, items: items(2) }, ASKED_AT + 1)
    expect([restMs(ASKED_AT + 1), collector.total, collector.isComplete]).to.eql([QUIET_MS, 5, false])
  })

  it('go on beyond what was announced, as long as it comes', () => {
    collector.push({ sumNum: 2, items: items(1, 2) }, ASKED_AT)
    collector.push({ sumNum: 2, items: items(3, 4) }, ASKED_AT + SETTLE_MS - 1)
    expect([collector.received, restMs(ASKED_AT + SETTLE_MS - 1), collector.isComplete]).to.eql([4, QUIET_MS, true])
  })

  it('are not taken over when they are over', () => {
    collector.push({ sumNum: 1, items: items(1) }, ASKED_AT)
    collector.push({ sumNum: 1, items: items(2) }, ASKED_AT + SETTLE_MS)
    expect(collector.items.map(({ id }) => id)).to.eql(['1'])
  })

  it('count what comes twice once, and keep the newer', () => {
    collector.push({ sumNum: 3, items: [{ id: '1', name: 'old' }, ...items(2)] }, ASKED_AT)
    collector.push({ sumNum: 3, items: [{ id: '1', name: 'new' }] }, ASKED_AT + 1)
    expect([collector.received, collector.isComplete]).to.eql([2, false])
    expect(collector.items).to.eql([{ id: '1', name: 'new' }, { id: '2' }])
  })

  it('are as long as memory bears', () => {
    for (let page = 0; page < 99; page++) collector.push({ sumNum: 20_000, items: range(page * 101, 101) }, ASKED_AT)
    expect(restMs(ASKED_AT)).to.equal(QUIET_MS)
    collector.push({ sumNum: 20_000, items: range(9999, 1000) }, ASKED_AT)
    expect([collector.received, collector.isOver(ASKED_AT)]).to.eql([MAX_ITEMS, true])
  })
})
