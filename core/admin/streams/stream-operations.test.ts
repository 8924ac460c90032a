import { expect } from 'chai'
import type { OperationRegistry } from 'sluice/sdk'
import { OperationRoutes } from 'sluice/sdk/host'
import { createApp } from '../../http/testing/ask-operations.ts'
import type { StreamRegistry } from '../../stream/registry.ts'
import { addStreamOperations, addSubscriberOperations } from './stream-operations.ts'

/** What the answers of several processes to one request are together. */
function joined(
  add: (operations: OperationRegistry, streams: StreamRegistry) => void,
  path: string,
  answers: unknown[],
) {
  const app = createApp()
  const operations = new OperationRoutes({ targetOf: () => app })
  add(operations, {} as StreamRegistry)
  const reach = operations.entries.find(({ spellings }) => spellings[0]?.path === path)?.operation.reach
  if (typeof reach !== 'object' || !('all' in reach)) throw new Error(`${path} is not asked of all`)
  return reach.all(answers)
}

/** While nothing is recorded. */
const streamOperations = (operations: OperationRegistry, streams: StreamRegistry) =>
  addStreamOperations(operations, streams, () => [])

describe('the answers of several processes', () => {
  it('have a stream once, with the viewers of all', () => {
    const [a, b] = [
      { path: 'live/a', pluginName: 'rtmp', subscribers: 2 },
      { path: 'live/b', subscribers: 1 },
    ]
    const lists = [[a, b], [], [{ path: 'live/a', pluginName: 'relay', subscribers: 3 }]]
    expect(joined(streamOperations, '/api/stream/list', lists)).to.eql([{ ...a, subscribers: 5 }, b])
  })

  it('count all who wait for a path', () => {
    const lists = [{ list: { 'live/a': 1 } }, { list: { 'live/a': 2, 'live/b': 1 } }, {}]
    expect(joined(addSubscriberOperations, '/api/stream/waitlist', lists)).to.eql({
      list: { 'live/a': 3, 'live/b': 1 },
    })
  })
})
