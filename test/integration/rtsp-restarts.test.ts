import { getActiveResourcesInfo } from 'node:process'
import { expect } from 'chai'
import { createTestServer } from 'sluice/testing'
import rtsp from '../../plugins/rtsp/index.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'
import { ScriptedSource } from '../support/rtsp/scripted-source.ts'

const RESTARTS = 50
const PATH = 'live/camera'
/** What sockets, ports and timers are to Node. */
const KINDS = ['TCPSocketWrap', 'TCPServerWrap', 'UDPWrap', 'Timeout']

/** How many there are of each kind. */
function resources(): number[] {
  const names = getActiveResourcesInfo()
  return KINDS.map((kind) => names.filter((name) => name === kind).length)
}

describe('a source that is killed and started again', () => {
  for (const transport of ['tcp', 'udp'] as const) {
    it(`is pulled again each time, and nothing is left over: ${transport}`, async () => {
      const source = await ScriptedSource.start()
      const rule = { url: source.url(), maxretry: -1, retryinterval: '20ms' }
      const server = await createTestServer(rtsp, { beside: ['relay'], config: { transport, pull: { [PATH]: rule } } })
      keep({ close: () => server.stop() })
      const received = await ReceivedUnits.of(server.streams, PATH)
      let known = 0
      const playsAgain = async () => {
        const plays = () => source.methods.filter((method) => method === 'PLAY').length
        await waitFor(() => plays() > known, { what: 'the source to be pulled again' })
        known = plays()
        const { length } = received.units
        await waitFor(() => received.units.length > length, { what: 'its media' })
      }
      let before: readonly number[] | undefined
      for (let restart = 0; restart < RESTARTS; restart++) {
        await playsAgain()
        before ??= resources()
        source.kill()
        // Now and then it is away for longer, or dies before it plays.
        if (restart % 10 === 5) await waitFor(() => source.connections.size === 0)
        await source.listen()
        if (restart % 5 !== 4) continue
        await waitFor(() => source.connections.size > 0)
        source.kill()
        await source.listen()
      }
      await playsAgain()
      expect(received.closed).to.equal(undefined)
      const isBack = () => resources().every((count, index) => count <= before![index]!)
      await waitFor(isBack, { what: `${KINDS.join(', ')} to be ${before?.join(', ')} again` })
    })
  }
})
