import { expect } from 'chai'
import type { JobOutcome, StreamTask, StreamTaskEnd } from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { TaskTree } from '../observe/task-tree.ts'
import { JobMeters } from './job-meters.ts'
import { Job } from 'sluice/sdk/host'

const TASK: StreamTask = { kind: 'pull', streamPath: 'live/a', plugin: 'x', description: 'x://host/a' }

/** A job whose tries end as they are told to, and what others were told of it. */
function rig(policy = { maxretry: -1, retryinterval: 1 }, continues?: Job) {
  const told: (readonly ['began'] | readonly ['ended', StreamTaskEnd])[] = []
  const tries: PromiseWithResolvers<JobOutcome>[] = []
  const tasks = new TaskTree()
  const { log } = logLines()
  const job = new Job({
    log,
    tasks: tasks.registryFor({ plugin: 'global', generation: 1, log }),
    meter: new JobMeters().of('pull', 'x'),
    task: TASK,
    notices: {
      taskBegan(task) {
        expect(task).to.equal(TASK)
        told.push(['began'])
      },
      taskEnded(task, end) {
        expect(task).to.equal(TASK)
        told.push(['ended', end])
      },
    },
    description: { kind: 'pull' },
    policy,
    continues,
    attempt: (signal) => {
      const one = Promise.withResolvers<JobOutcome>()
      signal.addEventListener('abort', () => one.reject(new Error('aborted')))
      tries.push(one)
      return one.promise
    },
    isWanted: () => true,
    movedBytes: () => 0,
    failed() {},
  })
  const nextTry = async (count: number) => {
    await waitFor(() => tries.length === count, { what: `try ${count}` })
    return tries[count - 1]!
  }
  return { job, told, nextTry, tasks }
}

describe('what others are told of a job', () => {
  it('is that it began, once, and why it is over', async () => {
    const { job, told, nextTry } = rig()
    const only = await nextTry(1)
    job.succeeded()
    job.succeeded()
    expect(told).to.eql([['began']])
    only.resolve({ over: 'the source is over' })
    await job.done
    expect(told.slice(1)).to.eql([['ended', { reason: 'the source is over', isRetried: false }]])
  })

  it('is one failure until it has begun again', async () => {
    const { job, told, nextTry } = rig()
    for (const count of [1, 2, 3]) (await nextTry(count)).reject(new Error(`refused ${count}`))
    const fourth = await nextTry(4)
    expect(told).to.eql([['ended', { reason: 'refused 1', isRetried: true }]])
    job.succeeded()
    fourth.resolve({ failure: 'it broke off' })
    await nextTry(5)
    expect(told.slice(1)).to.eql([['began'], ['ended', { reason: 'it broke off', isRetried: true }]])
    job.stop('its rule is gone')
    await job.done
    expect(told.slice(3)).to.eql([['ended', { reason: 'its rule is gone', isRetried: false }]])
  })

  it('is the last failure where it is not tried again', async () => {
    const { job, told, nextTry } = rig({ maxretry: 0, retryinterval: 1 })
    ;(await nextTry(1)).reject(new Error('refused'))
    await job.done
    expect(told).to.eql([['ended', { reason: 'refused', isRetried: false }]])
  })

  for (const beginning of [
    'before it is continued',
    'while it is continued',
    'with the next one',
    'with the last one',
  ]) {
    it(`is one beginning and one end of jobs that continue one another, when the work begins ${beginning}`, async () => {
      const once = { maxretry: 0, retryinterval: 1 }
      const former = rig()
      const only = await former.nextTry(1)
      if (beginning === 'before it is continued') former.job.succeeded()
      const next = rig(once, former.job)
      const second = await next.nextTry(1)
      if (beginning === 'while it is continued') former.job.succeeded()
      only.resolve({ over: 'another one goes on' })
      await former.job.done
      if (beginning === 'with the next one') next.job.succeeded()
      const last = rig(once, next.job)
      const third = await last.nextTry(1)
      second.resolve({ over: 'another one goes on' })
      await next.job.done
      last.job.succeeded()
      third.reject(new Error('the disk is full'))
      await last.job.done
      const told = [former, next, last].flatMap((job) => job.told)
      expect(told).to.eql([['began'], ['ended', { reason: 'the disk is full', isRetried: false }]])
    })
  }

  it('is the end of the last one of jobs that continue one another, also where the former one is later', async () => {
    const former = rig()
    const only = await former.nextTry(1)
    const next = rig(undefined, former.job)
    await next.nextTry(1)
    next.job.stop('enough')
    await next.job.done
    former.job.succeeded()
    only.resolve({ over: 'its file is whole' })
    await former.job.done
    expect([former.told, next.told]).to.eql([
      [['began'], ['ended', { reason: 'its file is whole', isRetried: false }]],
      [],
    ])
  })

  it('is one failure of a job that another one continues while it waits for its next try', async () => {
    const former = rig({ maxretry: -1, retryinterval: 60_000 })
    ;(await former.nextTry(1)).reject(new Error('the disk is full'))
    await waitFor(() => former.told.length > 0)
    const next = rig(undefined, former.job)
    former.job.stop('another one goes on')
    await former.job.done
    await next.nextTry(1)
    next.job.succeeded()
    expect([former.told, next.told]).to.eql([[['ended', { reason: 'the disk is full', isRetried: true }]], [['began']]])
    next.job.stop('enough')
    await next.job.done
  })

  it('is nothing where it was stopped before it began', async () => {
    const { job, told, nextTry } = rig()
    await nextTry(1)
    job.stop('enough')
    await job.done
    expect(told).to.eql([])
  })

  it('is nothing of a plugin that was replaced', async () => {
    const { job, told, nextTry } = rig()
    const first = await nextTry(1)
    job.succeeded()
    first.resolve('replaced')
    await nextTry(2)
    job.succeeded()
    expect(told).to.eql([['began']])
    job.stop('enough')
    await job.done
  })

  it('is an end and a beginning where an operator restarts it', async () => {
    const { job, told, nextTry, tasks } = rig()
    await nextTry(1)
    job.succeeded()
    const id = tasks.snapshot().children.flatMap(({ children }) => children)[0]?.id ?? 0
    tasks.find(id)?.restart()
    await nextTry(2)
    job.succeeded()
    expect(told.map(([what]) => what)).to.eql(['began', 'ended', 'began'])
    job.stop('enough')
    await job.done
  })
})
