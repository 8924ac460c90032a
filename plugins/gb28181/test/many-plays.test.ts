import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { DeviceEvent } from '../device/index.ts'
import { rounds } from '../../../test/support/soak.ts'
import { clipOf, GbRig } from '../fixtures/rig.ts'

const PLAYS = rounds(200)
const CHANNELS = 25

/** The handles and timers of this process, by kind. */
function resources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

describe('many plays', () => {
  it('leave no port, socket, call or SSRC', async () => {
    const rig = await GbRig.start({ config: ['publish: { delayclosetimeout: 1ms, idletimeout: 300ms }'] })
    const clip = await clipOf({ audio: 'none' })
    const events: DeviceEvent[] = []
    const devices = await Promise.all(
      (['UDP', 'TCP-PASSIVE', 'TCP-ACTIVE'] as const).map(async (mode, index) => {
        const id = `3402000000132000004${index}`
        const onEvent = (event: DeviceEvent) => void events.push(event)
        const device = await rig.registered({ id, source: clip, channels: CHANNELS, onEvent })
        await rig.setMode(device, mode)
        return device
      }),
    )
    const play = async (number: number) => {
      const device = devices[number % devices.length]!
      const path = rig.pathOf(device, Math.floor(number / devices.length) % CHANNELS)
      const viewer = rig.watch(path)
      await viewer.received.wait(1)
      viewer.close()
      await waitFor(() => rig.server.server.streams.get(path)?.publisher === undefined, { intervalMs: 5 })
    }
    const round = async (from: number, to: number) => {
      let next = from
      const worker = async () => {
        while (next < to) await play(next++)
      }
      await Promise.all(Array.from({ length: CHANNELS }, worker))
      await waitFor(() => devices.every(({ sessions }) => sessions.length === 0))
      await rig.isAtRest()
    }
    await round(0, PLAYS / 10)
    const before = resources()
    await round(PLAYS / 10, PLAYS)
    await waitFor(() => {
      const after = resources()
      return ['UDPWrap', 'TCPSocketWrap', 'TCPServerWrap'].every((kind) => (after[kind] ?? 0) <= (before[kind] ?? 0))
    })
    expect(rig.server.problems).to.eql([])
    const count = (kind: DeviceEvent['kind']) => events.filter((event) => event.kind === kind).length
    // Two that ask for a channel at the same time share a call.
    expect([count('invite') > PLAYS / 2, count('bye')]).to.eql([true, count('invite')])
  })
})
