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

/** A pull that is tried again, a long time after its first try, which fails as no plugin pulls it. */
const LASTING: PullWish = { ...WISH, rule: { ...WISH.rule, maxretry: -1, retryinterval: 60_000 }, isLasting: true }

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

    it('are found by sources in the order of their stages, unless one leaves the path as it is', async () => {
      const { ctx } = await start(({ jobs }) => {
        const source = (tag: string) => ({ match: (streamPath: string) => ({ ...LASTING, streamPath, tag }) })
        jobs.pulls.addSource(source('last'), { stage: 1 })
        jobs.pulls.addSource({ match: (path) => (path === 'live/none' ? null : undefined) })
        jobs.pulls.addSource({ match: (path) => (path === 'live/first' ? source('first').match(path) : undefined) })
      })
      const { pulls } = ctx.jobs
      expect(['live/none', 'live/first', 'live/other'].map((path) => pulls.demand(path, {}))).to.eql([
        false,
        true,
        true,
      ])
      const tags = ['live/none', 'live/first', 'live/other'].map((path) => pulls.get(path)?.wish.tag)
      expect(tags).to.eql([undefined, 'first', 'last'])
    })

    it('are looked at anew when a source goes: they stay where one leaves them, and end where none has them', async () => {
      let removeOne = () => {}
      let removeAnother = () => {}
      const { ctx } = await start(({ jobs }) => {
        removeOne = jobs.pulls.addSource({ match: () => null })
        removeAnother = jobs.pulls.addSource({ match: () => undefined })
      })
      const { pulls } = ctx.jobs
      const pull = pulls.start(LASTING)
      expect(pull?.steps.list).to.eql([])
      removeAnother()
      expect(pulls.get(LASTING.streamPath)).to.equal(pull)
      const begun = pull?.begun.catch((error: Error) => error)
      removeOne()
      await waitFor(() => pull?.ending === true, { what: 'its end' })
      expect(await begun).to.be.an('error')
    })
  })

  describe('pushes', () => {
    it('are listed until they have ended, and tell that they end without having begun', async () => {
      const { ctx } = await start()
      const { pushes } = ctx.jobs
      const { plugin, streamPath, rule } = LASTING
      const push = pushes.start({ plugin, streamPath, rule, origin: 'contract' })
      expect([pushes.list(), pushes.list()[0]?.wish.origin]).to.eql([[push], 'contract'])
      const begun = push.begun.catch((error: Error) => error)
      push.stop('enough')
      expect(await begun).to.be.an('error')
      await waitFor(() => pushes.list().length === 0, { what: 'its end' })
    })
  })
}
