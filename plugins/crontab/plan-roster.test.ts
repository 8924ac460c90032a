import { expect } from 'chai'
import { StoreUnavailable } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { PlanRoster } from './plan-roster.ts'

describe('PlanRoster', () => {
  for (const [what, failure, level] of [
    ['that the database is away', new StoreUnavailable('the database is away'), 'warn'],
    ['what is wrong with it', new Error('no such column'), 'error'],
  ] as const) {
    it(`says ${what} where the plans can't be read, and reads them later`, async () => {
      const log = new LogRecords('crontab')
      let isAway = true
      const addDefaultPlans = async () => {
        if (isAway) throw failure
      }
      const store = { addDefaultPlans, plans: async () => [], streams: async () => [] }
      const planned: unknown[] = []
      const roster = new PlanRoster(log.logger, store, { plan: (streams) => void planned.push(streams) })
      await roster.reload()
      const [line] = log.problems
      expect(line?.level).to.equal(level === 'warn' ? 40 : 50)
      expect('err' in (line ?? {})).to.equal(level === 'error')
      isAway = false
      await roster.refresh()
      await roster.refresh()
      expect(planned).to.eql([[]])
    })
  }
})
