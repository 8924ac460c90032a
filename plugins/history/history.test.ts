import { expect } from 'chai'
import { createFakeHost, type FakeHost } from 'sluice/sdk/testing'
import { keep } from '../../test/peers/lifetime.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import history from './index.ts'

type Host = FakeHost<unknown>

async function start(former?: Pick<Host, 'kept' | 'store'>): Promise<Host> {
  const host = await createFakeHost(history, { ...former, global: { taskhistory: true } })
  keep({ close: () => host.dispose() })
  return host
}

async function endTask({ ctx }: Host, owner: string): Promise<void> {
  await ctx.tasks.start({ owner, run: async () => {} }).done
}

/** The owners of the tasks that have ended; undefined while there is no database. */
async function listed({ http }: Host): Promise<readonly string[] | undefined> {
  const answer = await fetch(`${http.origin}/debug/api/task/1`)
  const { data } = (await answer.json()) as { data?: readonly { readonly owner: string }[] }
  return answer.ok ? data?.map(({ owner }) => owner) : undefined
}

describe('a generation of the history that is replaced', () => {
  it('hands on what it could not write, and the newer one has all in the order of their ends', async () => {
    const first = await start()
    await waitFor(async () => (await listed(first)) !== undefined, { what: 'the run' })
    if (first.store === undefined) throw new Error('it has no tables')
    first.store.isAway = true
    await endTask(first, 'before')
    const second = await start(first)
    first.drain()
    await endTask(second, 'after')
    await first.dispose()
    expect(await listed(second)).to.equal(undefined)
    first.store.isAway = false
    expect(await waitFor(() => listed(second))).to.eql(['before', 'after'])
    expect([...first.log.problems, ...second.log.problems]).to.eql([])
  })

  it('does not end the run', async () => {
    const first = await start()
    const second = await start(first)
    first.drain()
    await first.dispose()
    const answer = await fetch(`${second.http.origin}/monitor/api/session/list`)
    const { data } = (await answer.json()) as { data: readonly object[] }
    expect(data).to.have.length(1)
    expect(data[0]).to.include({ id: 1, pid: process.pid, endTime: '0001-01-01T00:00:00Z' })
  })
})
