import { expect } from 'chai'
import { planStart, unmetReason, type StartNode } from './start-order.ts'

const node = (name: string, init: Partial<StartNode> = {}): StartNode => ({
  name,
  requires: [],
  provides: [],
  state: 'pending',
  ...init,
})

const a = node('a')
const needsA = node('b', { requires: ['a'] })
const serving = node('s', { provides: ['pull:rtmp'] })
const needsService = node('c', { requires: ['pull:rtmp'] })
const cycleX = node('x', { requires: ['y'] })
const cycleY = node('y', { requires: ['z'] })
const cycleZ = node('z', { requires: ['x'] })
const afterCycle = node('w', { requires: ['x'] })

const CASES: readonly {
  readonly name: string
  readonly waiting: readonly StartNode[]
  readonly others?: readonly StartNode[]
  readonly incomplete?: true
  readonly verdicts: readonly string[]
}[] = [
  { name: 'starts who needs nothing', waiting: [a, serving], verdicts: ['start', 'start'] },
  { name: 'waits for a plugin that waits', waiting: [needsA, a], verdicts: ['wait', 'start'] },
  { name: 'waits for a service', waiting: [needsService, serving], verdicts: ['wait', 'start'] },
  { name: 'starts when the plugin is up', waiting: [needsA], others: [{ ...a, state: 'up' }], verdicts: ['start'] },
  {
    name: 'starts when the service is up, whoever else offers it',
    waiting: [needsService],
    others: [node('t', { provides: ['pull:rtmp'], state: 'down' }), { ...serving, state: 'up' }],
    verdicts: ['start'],
  },
  { name: 'waits for one that is being loaded', waiting: [needsA], incomplete: true, verdicts: ['wait'] },
  { name: 'refuses what nobody offers', waiting: [needsA], verdicts: ["requires 'a', which no plugin offers"] },
  {
    name: 'refuses what does not run',
    waiting: [needsA, needsService],
    others: [
      { ...a, state: 'down' },
      { ...serving, state: 'down' },
    ],
    verdicts: ["requires plugin 'a', which does not run", "requires 'pull:rtmp' of plugin 's', which does not run"],
  },
  {
    name: 'takes who needs what is switched off for switched off, and who needs that one',
    waiting: [node('d', { requires: ['b'] }), needsA, needsService],
    others: [
      { ...a, state: 'off' },
      { ...serving, state: 'off' },
    ],
    verdicts: [
      "off: requires plugin 'b', which is switched off",
      "off: requires plugin 'a', which is switched off",
      "off: requires 'pull:rtmp' of plugin 's', which is switched off",
    ],
  },
  {
    name: 'takes it for failed where another that offers it has failed',
    waiting: [needsService],
    others: [{ ...serving, state: 'off' }, node('t', { provides: ['pull:rtmp'], state: 'down' })],
    verdicts: ["requires 'pull:rtmp' of plugin 't', which does not run"],
  },
  {
    name: 'refuses who needs a refused one, and nobody else',
    waiting: [node('d', { requires: ['b'] }), needsA, serving],
    verdicts: ["requires plugin 'b', which does not run", "requires 'a', which no plugin offers", 'start'],
  },
  {
    name: 'refuses all of a cycle, and who needs one of it',
    waiting: [afterCycle, cycleX, cycleY, cycleZ, a],
    verdicts: [
      "requires plugin 'x', which does not run",
      'requires itself: x → y → z → x',
      'requires itself: y → z → x → y',
      'requires itself: z → x → y → z',
      'start',
    ],
  },
  {
    name: 'refuses who requires itself',
    waiting: [node('n', { requires: ['n'] })],
    verdicts: ['requires itself: n → n'],
  },
]

describe('planStart', () => {
  for (const { name, waiting, others = [], incomplete = false, verdicts } of CASES) {
    it(name, () => {
      const plan = planStart(waiting, others, !incomplete)
      const told = plan.map((verdict) => {
        if (verdict.kind !== 'refuse') return verdict.kind
        return verdict.as === 'off' ? `off: ${verdict.reason}` : verdict.reason
      })
      expect(told).to.deep.equal(verdicts)
    })
  }
})

describe('unmetReason', () => {
  it('is undefined when all needs are up', () => {
    expect(unmetReason(needsA, [{ ...a, state: 'up' }])).to.equal(undefined)
  })

  it('names the first need that is not', () => {
    expect(unmetReason(needsA, [a])).to.equal("requires plugin 'a', which does not run")
    expect(unmetReason(needsService, [a])).to.equal("requires 'pull:rtmp', which no plugin offers")
  })
})
