import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { startServer } from '../../../test/support/server.ts'

describe('demo, reloaded', () => {
  it('goes on publishing under the new generation', async () => {
    const running = await startServer({ env: { SLUICE_DEMO_ENABLE: 'true' } })
    const publisher = () => running.server.streams.get('live/demo')?.publisher
    const first = await waitFor(publisher, { what: 'the demo stream' })
    await running.writeConfig('demo:\n  publish:\n    publishtimeout: 5s\n')
    const second = await waitFor(() => publisher() !== first && publisher(), { what: 'another publisher' })
    expect(second.config.publishtimeout).to.equal(5000)
    expect(running.server.host.list().find(({ name }) => name === 'demo')?.generation).to.equal(2)
    await waitFor(() => running.records.some(({ msg }) => msg.startsWith('generation 1 has ended')))
    expect(publisher()).to.equal(second)
    expect(running.problems).to.eql([])
  })
})
