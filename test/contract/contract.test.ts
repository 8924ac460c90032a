import { startOnFakeHost, startOnServer } from './contract-host.ts'
import { describeConnections } from './connections.ts'
import { describeDatagrams } from './datagrams.ts'
import { describeFiles } from './files.ts'
import { describeHooks } from './hooks.ts'
import { describeJobs } from './jobs.ts'
import { describeLeading } from './leading.ts'
import { describeLife } from './life.ts'
import { describeMetrics } from './metrics.ts'
import { describeMoving } from './moving.ts'
import { describePages } from './pages.ts'
import { describeReading } from './reading.ts'
import { describeOperationMistakes } from './operation-mistakes.ts'
import { describeOperations } from './operations.ts'
import { describeOperationRequests } from './operation-requests.ts'
import { describeOperationWires } from './operation-wires.ts'
import { describeSessions } from './sessions.ts'
import { describeSource } from './source.ts'
import { describeTables } from './tables.ts'

/** What plugins are tested against, and what they run in, keep the same promises. */
for (const [name, start] of [
  ['the fake host', startOnFakeHost],
  ['the server', startOnServer],
] as const) {
  describe(`plugin contract: ${name}`, () => {
    describeLife(start)
    describeSessions(start)
    describeHooks(start)
    describeReading(start)
    describeMoving(start)
    describeLeading(start)
    describeJobs(start)
    describeSource(start)
    describeTables(start)
    describeFiles(start)
    describeMetrics(start)
    describeConnections(start)
    describeDatagrams(start)
    describePages(start)
    describeOperations(start)
    describeOperationMistakes(start)
    describeOperationRequests(start)
    describeOperationWires(start)
  })
}
