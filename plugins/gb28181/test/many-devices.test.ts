import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { isSoak } from '../../../test/support/soak.ts'
import { DeviceSite, type GbDevice } from '../device/index.ts'
import { GbRig } from '../fixtures/rig.ts'

const DEVICES = isSoak ? 1000 : 200
const KEEPALIVE_MS = 2000
/** How often each device keeps alive: for hours in a soak. */
const KEEPALIVES = isSoak ? 3600 : 3
/** What it may take, at the most. */
const TIMEOUT_MS = isSoak ? 4 * 3_600_000 : 120_000
/** What the heap may grow in a soak, once all devices are there. */
const MAX_GROWTH_BYTES = 32 * 1024 * 1024

describe('many devices', () => {
  it('register at once, and stay, with a heap that does not grow', async () => {
    const rig = await GbRig.start({ config: ['keepaliveinterval: 60s'] })
    const site = new DeviceSite({ sharesSocket: true })
    const refused: unknown[] = []
    let keepalives = 0
    const devices = Array.from({ length: DEVICES }, (_, index): GbDevice => {
      const id = `340200000013201${String(index).padStart(5, '0')}`
      return rig.device({
        id,
        site,
        keepaliveMs: KEEPALIVE_MS,
        onEvent(event) {
          if (event.kind !== 'keepalive') return
          keepalives += 1
          if (event.status !== 200) refused.push(event.status)
        },
      })
    })
    await Promise.all(devices.map((device) => device.start()))
    await waitFor(async () => (await rig.metric('channels')).get('state="on"') === DEVICES)
    const heapBytes = () => {
      globalThis.gc?.()
      return process.memoryUsage().heapUsed
    }
    await waitFor(() => keepalives >= DEVICES)
    const before = heapBytes()
    await waitFor(() => keepalives >= KEEPALIVES * DEVICES, { timeoutMs: TIMEOUT_MS, intervalMs: KEEPALIVE_MS / 4 })
    expect(refused).to.eql([])
    expect((await rig.metric('devices')).get('state="online"')).to.equal(DEVICES)
    if (isSoak) expect(heapBytes() - before).to.be.below(MAX_GROWTH_BYTES)
    expect(rig.server.problems).to.eql([])
  }).timeout(TIMEOUT_MS)
})
