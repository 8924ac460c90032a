import { expect } from 'chai'
import type { JobOutcome, StreamTask, StreamTaskEnd } from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { TaskTree } from '../observe/task-tree.ts'
import { JobMeters } from './job-meters.ts'
import { Job } from 'sluice/sdk/host'

const TASK: StreamTask = { kind: 'pull', streamPath: 'live/a', plugin: 'x', description: 'x://host/a' }

/** A job whose tries end as they are told to, and what others were told of it. */
function rig(policy = { maxretry: -1, retryinterval: 1 }, continues = false) {
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

  it('is nothing of an end and a beginning where another one goes on with it', async () => {
    const former = rig()
    const next = rig({ maxretry: 0, retryinterval: 1 }, true)
    const [only, first] = [await former.nextTry(1), await next.nextTry(1)]
    former.job.succeeded()
    next.job.succeeded()
    only.resolve({ over: 'another one goes on', isContinued: true })
    await former.job.done
    expect([former.told, next.told]).to.eql([[['began']], []])
    first.reject(new Error('the disk is full'))
    await next.job.done
    expect(next.told).to.eql([['ended', { reason: 'the disk is full', isRetried: false }]])
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
