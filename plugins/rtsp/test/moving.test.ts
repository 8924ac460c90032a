import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { RtspProbe } from '../../../test/support/rtsp/rtsp-probe.ts'
import { packetsOn, RtspRig } from '../fixtures/rtsp-rig.ts'

const PLAYERS = 4
/** What a script writes at a time: two keyframes at least. */
const UNITS = 30
const LEAST_PACKETS = 3

describe('RTSP players that are moved to another stream one by one', () => {
  const numbersOf = (probe: RtspProbe) => packetsOn(probe, 0).map(({ sequenceNumber }) => sequenceNumber)

  it('get packets that are numbered without a gap, as do those that stay', async () => {
    const rig = await RtspRig.start()
    // They go on at one pace, so that who is moved from one to the other shares times; but one has more packets.
    const [one, other] = [
      await rig.publish('live/a', { gopFrames: 5 }),
      await rig.publish('live/b', { gopFrames: 5, unitBytes: 5000 }),
    ]
    const probes: RtspProbe[] = []
    for (let player = 0; player < PLAYERS; player++) {
      const probe = await rig.connect()
      await rig.play(probe)
      probes.push(probe)
    }
    const ids = rig.server.streams.subscribers('live/a').map(({ id }) => id)
    const writeAll = async () => {
      const before = probes.map((probe) => numbersOf(probe).length)
      one.script.write(UNITS)
      other.script.write(UNITS)
      await waitFor(() => probes.every((probe, index) => numbersOf(probe).length >= before[index]! + LEAST_PACKETS))
    }
    await writeAll()
    // The last one stays.
    for (const id of ids.slice(0, -1)) {
      rig.server.streams.move([id], 'live/b')
      await writeAll()
    }
    for (const id of ids.slice(0, -2)) {
      rig.server.streams.move([id], 'live/a')
      await writeAll()
    }
    for (const probe of probes) {
      const numbers = numbersOf(probe)
      expect(numbers).to.eql(numbers.map((_, index) => (numbers[0]! + index) & 0xffff))
    }
    expect(rig.server.problems).to.eql([])
  })
})
