import { expect } from 'chai'
import { Pacer } from './pacer.ts'

function rig() {
  const done: string[] = []
  const pacer = new Pacer()
  const push = (queue: string, ...dueMs: readonly number[]) =>
    pacer.push(
      queue,
      dueMs.map((ms) => ({ dueMs: ms, act: () => void done.push(`${queue}${ms}`) })),
    )
  const tick = (nowMs: number) => {
    const next = pacer.tick(nowMs)
    return [done.splice(0), next] as const
  }
  return { pacer, push, tick }
}

describe('Pacer', () => {
  it('lets events go at their time, in order over its queues', () => {
    const { push, tick } = rig()
    push('v', 1000, 1040, 1080)
    push('a', 1010, 1030)
    expect(tick(50_000)).to.eql([['v1000'], 10])
    expect(tick(50_009)).to.eql([[], 1])
    expect(tick(50_040)).to.eql([['a1010', 'a1030', 'v1040'], 40])
    expect(tick(50_100)).to.eql([['v1080'], undefined])
  })

  it('puts off what follows when there was nothing for a while', () => {
    const { push, tick } = rig()
    push('v', 0)
    tick(0)
    push('v', 40, 80)
    expect(tick(5000)).to.eql([['v40'], 40])
    expect(tick(5040)).to.eql([['v80'], undefined])
  })

  it('makes up for a little delay', () => {
    const { push, tick } = rig()
    push('v', 0, 40, 80, 400)
    tick(0)
    expect(tick(100)).to.eql([['v40', 'v80'], 300])
  })

  it('plays faster to catch up, and goes on without a jump', () => {
    const { pacer, push, tick } = rig()
    push('v', 0, 1100, 2100)
    tick(0)
    pacer.catchUp(true, 0)
    expect(tick(1000)).to.eql([['v1100'], 1000 / 1.1])
    pacer.catchUp(false, 1000)
    expect(tick(1900)).to.eql([[], 100])
  })

  it('tells how much waits', () => {
    const { pacer, push, tick } = rig()
    expect(pacer.bufferedMs('v', 0)).to.equal(0)
    push('v', 500, 2500)
    expect(pacer.bufferedMs('v', 0)).to.equal(2000)
    tick(10)
    expect(pacer.bufferedMs('v', 510)).to.equal(1500)
    expect(pacer.bufferedMs('v', 9000)).to.equal(0)
  })
})
