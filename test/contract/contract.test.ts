import { startOnFakeHost, startOnServer } from './contract-host.ts'
import { describeConnections } from './connections.ts'
import { describeLife } from './life.ts'
import { describeSessions } from './sessions.ts'

/** What plugins are tested against, and what they run in, keep the same promises. */
for (const [name, start] of [
  ['the fake host', startOnFakeHost],
  ['the server', startOnServer],
] as const) {
  describe(`plugin contract: ${name}`, () => {
    describeLife(start)
    describeSessions(start)
    describeConnections(start)
  })
}
