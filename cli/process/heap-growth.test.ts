import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { HeapGrowth } from './heap-growth.ts'

/** Counts collections while media passes through a queue beside what stays, with a share that is set at run time. */
const COUNT_COLLECTIONS = `
  import { constants, PerformanceObserver } from 'node:perf_hooks'
  import { setFlagsFromString } from 'node:v8'
  setFlagsFromString('--heap-growing-percent=' + process.argv[1])
  globalThis.stays = Array.from({ length: 100_000 }, (_, index) => ({ index, held: [index] }))
  gc()
  let collections = 0
  const isMajor = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
  const observer = new PerformanceObserver((list) => (collections += list.getEntries().filter(isMajor).length))
  observer.observe({ entryTypes: ['gc'] })
  const queue = []
  for (let turn = 0; turn < 1000; turn++) {
    for (let unit = 0; unit < 200; unit++) {
      queue.push(Buffer.allocUnsafeSlow(8192))
      if (queue.length > 1000) queue.shift()
    }
    await new Promise(setImmediate)
  }
  await new Promise((resolve) => setTimeout(resolve, 50))
  console.log(collections)
`

describe('heap growth', () => {
  let percents: number[]
  let growth: HeapGrowth
  beforeEach(() => {
    percents = []
    growth = new HeapGrowth((percent) => percents.push(percent))
  })

  function collectEvery(intervalMs: number, times: number): void {
    for (let time = 1; time <= times; time++) growth.collected(time * intervalMs)
  }

  it('rises step by step while collections come often, up to its bound', () => {
    collectEvery(100, 4)
    expect(percents).to.eql([80, 300, 300, 300])
  })

  it('rises by as much as they come too often', () => {
    collectEvery(2000, 5)
    expect(percents).to.eql([40, 80, 160, 300, 300])
  })

  it('falls again when they come seldom', () => {
    collectEvery(100, 3)
    for (const timeMs of [60_000, 120_000, 180_000]) growth.collected(timeMs)
    expect(percents).to.eql([80, 300, 300, 75, 20, 20])
  })

  it('stays where it is when they come as they should', () => {
    collectEvery(2000, 2)
    growth.collected(8000)
    growth.collected(12_000)
    expect(percents).to.eql([40, 80, 80, 80])
  })

  it('has an effect in a process that runs', async () => {
    const [seldom = NaN, often = NaN] = await Promise.all(
      ['300', '20'].map(async (percent) => {
        const args = [
          '--expose-gc',
          '--single-threaded',
          '--max-semi-space-size=1',
          '--input-type=module',
          '--eval',
          COUNT_COLLECTIONS,
          percent,
        ]
        return Number((await promisify(execFile)(process.execPath, args)).stdout)
      }),
    )
    expect(often).to.be.above(2 * seldom)
  })
})
