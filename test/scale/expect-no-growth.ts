import { expect } from 'chai'
import type { Holdings } from '../robustness/support/probe.ts'

const MAX_HEAP_GROWTH = 1.1
/** The connection of a test's own request may still be on its way out. */
export const IN_PASSING = 2

/** Fails when a server holds more than it did before: with no viewer, and so many streams that are published still. */
export function expectNoGrowth(after: Holdings, before: Holdings, streamCount = 0): void {
  const { streams, publishers, subscribers, muxers } = after
  const expected = { streams: streamCount, publishers: streamCount, subscribers: 0, muxers: 0 }
  expect({ streams, publishers, subscribers, muxers }).to.deep.equal(expected)
  expect(after.descriptors, 'descriptors').to.be.at.most(before.descriptors + IN_PASSING)
  expect(after.sockets, 'sockets').to.be.at.most(before.sockets + IN_PASSING)
  expect(after.timers, 'timers').to.be.at.most(before.timers + IN_PASSING)
  expect(after.heapBytes, 'heap').to.be.below(before.heapBytes * MAX_HEAP_GROWTH)
}
