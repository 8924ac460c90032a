import { expect } from 'chai'
import { FlowTable, type Flow } from './flow-table.ts'

const PEER = ['192.0.2.1', 5060] as const

describe('FlowTable', () => {
  const add = (table: FlowTable) => table.add(...PEER, () => true)
  const flowsOf = (table: FlowTable) => {
    const flows: Flow[] = []
    for (let flow = table.find(...PEER); flow !== undefined; flow = flow.next) flows.push(flow)
    return flows
  }

  it('tells peers apart by address and port', () => {
    const table = new FlowTable()
    const peers = ['192.0.2.1', '192.0.2.2', '::1'].flatMap((address) =>
      [5060, 5061].map((port) => ({ address, port })),
    )
    const flows = peers.map(({ address, port }) => table.add(address, port, () => true))
    for (const [index, { address, port }] of peers.entries()) expect(table.find(address, port)).to.equal(flows[index])
    expect(table.find('192.0.2.3', 5060)).to.equal(undefined)
    expect(table.find('192.0.2.1', 5062)).to.equal(undefined)
  })

  const removals: readonly (readonly number[])[] = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
    [1, 2, 0],
    [0, 0, 2],
  ]
  for (const removal of removals) {
    it(`keeps the flows of a peer, the latest first, while numbers ${removal.join(', ')} are removed`, () => {
      const table = new FlowTable()
      const flows = [add(table), add(table), add(table)]
      const left = new Set(flows)
      for (const index of removal) {
        const flow = flows[index]
        if (flow === undefined) throw new Error('no such flow')
        table.remove(flow)
        left.delete(flow)
        expect(flowsOf(table)).to.eql([...left].toReversed())
      }
    })
  }

  it('lets who is at a flow that is removed go on to the next', () => {
    const table = new FlowTable()
    const [first, second] = [add(table), add(table)]
    table.remove(second)
    expect(second.next).to.equal(first)
  })
})
