import { expect } from 'chai'
import { waitFor } from '../../peers/wait-for.ts'
import { HEALTHY_VIEWERS, HealthySession } from './healthy-session.ts'
import { ServerProcess } from './server-process.ts'

/** Far more than any client may cost, and far less than what the floods send. */
const MAX_GROWTH_BYTES = 100 * 1024 * 1024

/**
 * Gives a suite a server with a healthy session on it. Whatever a test does to the server: it goes on, says nothing that
 * is a problem, takes no more memory, and the healthy session, whose viewers are then the only ones, does not notice.
 *
 * @param ownViewers how many viewers the suite itself has on it
 */
export function attackedServer(config: string, started: (server: ServerProcess) => unknown, ownViewers = 0): void {
  let server: ServerProcess
  let healthy: HealthySession
  let rssBeforeBytes = 0

  before(async () => {
    server = await ServerProcess.start(config)
    healthy = await HealthySession.start(server)
    await started(server)
  })

  beforeEach(async () => {
    rssBeforeBytes = (await server.usage()).rssBytes
  })

  afterEach(async () => {
    expect((await server.usage()).rssBytes - rssBeforeBytes).to.be.below(MAX_GROWTH_BYTES)
    await healthy.expectUnharmed()
    expect(server.problems).to.deep.equal([])
    // Attackers that wait for a stream may do so for a while.
    const areAlone = async () => (await server.sessions()).subscribers === HEALTHY_VIEWERS + ownViewers
    await waitFor(areAlone, { what: 'the healthy viewers to be the only ones' })
    expect(server.exitCode).to.equal(null)
  })

  after(async () => {
    healthy.close()
    await server.stop()
  })
}
