import type { AccessUnit } from 'sluice/sdk'
import { RegistryRig } from '../../../core/stream/fixtures/registry-rig.ts'
import type { Tape } from '../media/tape.ts'
import { EndlessUnits } from './dispatch.ts'
import type { UnitBench } from './unit-bench.ts'

const READERS = 50
const PACKET_BYTES = 1200
const UNITS = 100

type Cut = (unit: AccessUnit) => readonly Buffer[]

/** From a publisher to readers that send packets: each cuts units for itself, or they remember by unit what one has cut. */
export async function packetBenches(tape: Tape): Promise<UnitBench[]> {
  const packets = new WeakMap<AccessUnit, readonly Buffer[]>()
  const remembered: Cut = (unit) => {
    const known = packets.get(unit)
    if (known !== undefined) return known
    const made = cut(unit)
    packets.set(unit, made)
    return made
  }
  return [
    await packetBench(tape, `packets for ${READERS}, cut by each`, cut),
    await packetBench(tape, `packets for ${READERS}, cut once`, remembered),
  ]
}

async function packetBench(tape: Tape, name: string, packetsOf: Cut): Promise<UnitBench> {
  const rig = new RegistryRig({ publish: { publishtimeout: '1h' } })
  const units = new EndlessUnits(await rig.publish('live/bench'), tape)
  let sentBytes = 0
  for (let count = 0; count < READERS; count++) {
    const subscriber = await rig.subscribe('live/bench')
    subscriber.read({
      unit(unit) {
        for (const packet of packetsOf(unit)) sentBytes += packet.length
      },
    })
  }
  const run = () => {
    for (let count = 0; count < UNITS; count++) units.write()
  }
  return { name, units: UNITS, run }
}

function cut({ data }: AccessUnit): Buffer[] {
  const packets: Buffer[] = []
  for (let at = 0; at < data.length; at += PACKET_BYTES) packets.push(data.subarray(at, at + PACKET_BYTES))
  return packets
}
