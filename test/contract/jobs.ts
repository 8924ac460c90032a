import { expect } from 'chai'
import type { JobOutcome, PullWish, StreamTaskEnd } from 'sluice/sdk'
import { waitFor } from '../peers/wait-for.ts'
import type { Context, StartContractHost } from './contract-host.ts'

/** Starts a job whose tries end as the test says, and notes what others are told of it. */
function startJob(ctx: Context, maxretry = -1) {
  const told: string[] = []
  ctx.hooks.on('taskBegan', ({ description }) => void told.push(`${description} began`))
  ctx.hooks.on('taskEnded', ({ description }, { reason, isRetried }: StreamTaskEnd) => {
    told.push(`${description} ended: ${reason}${isRetried ? ', again' : ''}`)
  })
  const tries: PromiseWithResolvers<JobOutcome>[] = []
  const job = ctx.jobs.start({
    log: ctx.log,
    task: { kind: 'transform', streamPath: 'live/a', plugin: 'contract', description: 'work' },
    description: { kind: 'work' },
    policy: { maxretry, retryinterval: 1 },
    attempt: (signal) => {
      const one = Promise.withResolvers<JobOutcome>()
      signal.addEventListener('abort', () => one.reject(new Error('aborted')))
      tries.push(one)
      return one.promise
    },
    isWanted: () => true,
    movedBytes: () => 0,
  })
  const nextTry = async (count: number) => {
    await waitFor(() => tries.length === count, { what: `try ${count}` })
    return tries[count - 1]!
  }
  return { job, told, nextTry }
}

const WISH: PullWish = {
  plugin: 'contract',
  streamPath: 'live/pulled',
  rule: {
    url: 'contract://host/a',
    loop: 0,
    maxretry: 0,
    retryinterval: 1000,
    proxy: '',
    header: {},
    args: {},
    testmode: 0,
  },
  publish: {},
  args: {},
  tag: '7',
}

export function describeJobs(start: StartContractHost): void {
  describe('jobs', () => {
    it('are tried again when they fail, and tell that they begin and end', async () => {
      const { ctx } = await start()
      const { job, told, nextTry } = startJob(ctx)
      ;(await nextTry(1)).reject(new Error('no way'))
      const second = await nextTry(2)
      expect(job).to.include({ state: 'connecting', lastError: 'no way' })
      job.succeeded()
      await job.begun
      expect(job.state).to.equal('running')
      second.resolve({ over: 'it is done' })
      await job.done
      expect(told).to.eql(['work ended: no way, again', 'work began', 'work ended: it is done'])
    })

    it('give up after as many failures as their policy says', async () => {
      const { ctx } = await start()
      const { job, nextTry } = startJob(ctx, 1)
      ;(await nextTry(1)).resolve({ failure: 'one' })
      ;(await nextTry(2)).resolve({ failure: 'two' })
      expect(await job.begun.catch((error: Error) => error.message)).to.equal('two')
      await job.done
    })

    it('end with the plugin', async () => {
      const host = await start()
      const { job, nextTry } = startJob(host.ctx)
      await nextTry(1)
      await host.unload()
      await job.done
      expect(job.state).to.equal(undefined)
      expect(() => startJob(host.ctx)).to.throw("plugin 'contract' is unloaded")
    })
  })

  describe('pulls', () => {
    it('come from a source until it is taken back, and are told apart by its tags', async () => {
      let takeBack = () => {}
      const { ctx } = await start(({ jobs }) => {
        takeBack = jobs.pulls.addSource({ match: (path) => (path === WISH.streamPath ? WISH : undefined) })
      })
      const { pulls } = ctx.jobs
      expect(pulls.demand('live/other', {})).to.equal(false)
      expect(pulls.demand(WISH.streamPath, { x: '1' })).to.equal(true)
      expect(pulls.get(WISH.streamPath)?.wish).to.deep.include({ tag: '7', args: { x: '1' } })
      pulls.get(WISH.streamPath)?.stop('enough')
      await waitFor(() => pulls.get(WISH.streamPath)?.ending !== false, { what: 'its end' })
      takeBack()
      await waitFor(() => !pulls.demand(WISH.streamPath, {}), { what: 'nobody who knows it' })
    })
  })
}
