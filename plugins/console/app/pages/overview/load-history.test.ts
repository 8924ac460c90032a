import { expect } from 'chai'
import { LoadHistory, type Load } from './load-history.ts'

const LOAD: Omit<Load, 'time' | 'streams'> = {
  viewers: 7,
  receivedBps: 1000,
  sentBps: 2000,
  cpuPercent: 30,
  memory: { total: 2, used: 1 },
  processMemory: 1,
  disk: { total: 2, used: 1 },
  loopUtilization: 0.1,
  loopDelayP50: 0,
  loopDelayP99: 0.001,
  mostViewed: [],
}

describe('the load that was seen', () => {
  let history: LoadHistory
  beforeEach(() => (history = new LoadHistory()))

  const addAt = (timeS: number, streams: number) =>
    history.add({ ...LOAD, streams, time: new Date(timeS * 1000).toISOString() })

  it('is in the order of its times, each once, at the end of ten minutes', () => {
    addAt(1000, 1)
    addAt(1002, 2)
    addAt(1002, 9)
    addAt(1001, 9)
    const { times, values } = history.series
    expect(times).to.eql([402, 1000, 1002])
    expect(values.streams).to.eql([null, 1, 2])
    expect(values.loopDelayP99).to.eql([null, 0.001, 0.001])
  })

  it('has a gap for the time that nobody looked', () => {
    addAt(1000, 1)
    addAt(1060, 2)
    const { times, values } = history.series
    expect(times).to.eql([460, 1000, 1001, 1060])
    expect(values.streams).to.eql([null, 1, null, 2])
    expect(values.viewers).to.eql([null, 7, null, 7])
  })

  it('forgets what is older than ten minutes', () => {
    for (let timeS = 1000; timeS <= 2000; timeS += 10) addAt(timeS, timeS)
    const { times } = history.series
    expect([times[0], times.at(-1)]).to.eql([1400, 2000])
  })
})
