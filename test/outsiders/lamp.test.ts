import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { Outsider } from '../support/outsider.ts'

describe('a plugin whose device is still starting', () => {
  let lamp: Server
  let state: string
  let asked: number

  beforeEach(async () => {
    state = 'starting'
    asked = 0
    lamp = createServer((socket) => {
      asked += 1
      socket.on('error', () => {}).end(state)
    })
    lamp.listen(0, '127.0.0.1')
    await once(lamp, 'listening')
    keep({ close: () => void lamp.close() })
  })

  const start = () => Outsider.start('lamp', { port: (lamp.address() as AddressInfo).port })

  it('is tried again until it is there, which is told once', async () => {
    const outsider = await start()
    expect(outsider.view).to.include({ state: 'disabled', disableReason: 'setup failed: the lamp is starting' })
    await waitFor(() => asked >= 2, { what: 'another try' })
    state = 'ready'
    await waitFor(() => outsider.view.state === 'running', { what: 'the plugin' })
    const told = outsider.server.problems
    expect(told).to.have.length(1)
    expect(told[0]?.msg).to.equal(
      "plugin 'lamp' setup failed: the lamp is starting; it is disabled, and it is tried again until it succeeds",
    )
    expect(told[0]).to.not.have.property('err')
  })

  it('goes on as it was, when its next version has to wait', async () => {
    state = 'ready'
    const outsider = await start()
    state = 'starting again'
    const released = outsider.release('2.0.0')
    await waitFor(() => outsider.view.lastError?.includes('starting again'), { what: 'a try' })
    expect(outsider.view).to.include({ state: 'running', version: '1.0.0' })
    state = 'ready'
    await released
    expect(outsider.view).to.include({ state: 'running', version: '2.0.0', lastError: undefined })
  })
})
