import { expect } from 'chai'
import { LATENCY_BUCKETS } from 'sluice/sdk'
import { waitFor } from '../peers/wait-for.ts'
import type { Context, StartContractHost } from './contract-host.ts'

const LOST = { name: 'lost_total', help: 'Lost', labels: ['reason'] } as const
const LATE = { reason: 'late' }

export function describeMetrics(start: StartContractHost): void {
  describe('metrics', () => {
    it('are shown by name and labels', async () => {
      const host = await start()
      const lost = host.ctx.metrics.counter(LOST)
      lost.with(LATE).add()
      lost.with(LATE).add(2)
      host.ctx.metrics.gauge({ name: 'window_bytes', help: 'Window' }).with().set(7)
      host.ctx.metrics.gauge({ name: 'depth', help: 'Depth', read: () => [{ value: 3 }] })
      expect(await host.metric('lost_total', LATE)).to.equal(3)
      expect(await host.metric('window_bytes')).to.equal(7)
      expect(await host.metric('depth')).to.equal(3)
      lost.remove(LATE)
      expect(await host.metric('lost_total', LATE)).to.equal(undefined)
    })

    it('have a bound on their series', async () => {
      const host = await start()
      const lost = host.ctx.metrics.counter({ ...LOST, maxSeries: 1 })
      for (const reason of ['late', 'early', 'never']) lost.with({ reason }).add()
      expect(await host.metric('lost_total', { reason: 'other' })).to.equal(2)
    })

    it('go on in the next generation', async () => {
      let setups = 0
      const setup = (ctx: Context) => {
        setups += 1
        ctx.metrics.counter(LOST).with(LATE).add(2)
      }
      const host = await start(setup)
      expect(await host.metric('lost_total', LATE)).to.equal(2)
      await host.replace()
      await waitFor(() => setups === 2, { what: 'the next generation' })
      expect(await host.metric('lost_total', LATE)).to.equal(4)
    })

    it('are refused where they are malformed, and once the plugin is unloaded', async () => {
      const host = await start()
      const { metrics } = host.ctx
      expect(() => metrics.counter({ name: 'lost', help: 'Lost' })).to.throw(TypeError, '_total')
      expect(() => metrics.gauge({ name: 'Lost', help: 'Lost' })).to.throw(TypeError)
      expect(() => metrics.gauge({ name: 'lost', help: '' })).to.throw(TypeError)
      expect(() => metrics.histogram({ name: 'lost', help: 'Lost', buckets: [2, 1] })).to.throw(TypeError)
      expect(() => metrics.histogram({ name: 'took', help: 'Took', buckets: LATENCY_BUCKETS })).not.to.throw()
      const lost = metrics.counter(LOST).with(LATE)
      expect(() => lost.add(-1)).to.throw(RangeError)
      await host.unload()
      expect(() => metrics.counter(LOST)).to.throw(Error, 'is unloaded')
    })
  })
}
