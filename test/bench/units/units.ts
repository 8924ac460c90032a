import { readFile } from 'node:fs/promises'
import { closeRigs } from '../../../core/stream/fixtures/registry-rig.ts'
import { parseTape } from '../media/tape.ts'
import { datagramBenches } from './datagrams.ts'
import { dispatchBenches } from './dispatch.ts'
import { muxBenches } from './mux.ts'
import { packetBenches } from './packets.ts'
import { parseBenches } from './parse.ts'
import { playoutBench } from './playout.ts'
import { srtBenches } from './srt.ts'
import { srtpBenches } from './srtp.ts'
import { runUnitBench, type UnitResult } from './unit-bench.ts'

/** What parsing, muxing and dispatching cost per access unit, encryption per packet, and sending by UDP per datagram. */
export async function runUnitBenches(sourceFile: string): Promise<UnitResult[]> {
  const tape = parseTape(await readFile(sourceFile))
  const results: UnitResult[] = []
  const dispatch = [...(await dispatchBenches(tape)), ...(await packetBenches(tape)), await playoutBench()]
  const datagrams = await datagramBenches()
  try {
    for (const bench of [
      ...parseBenches(tape),
      ...muxBenches(tape),
      ...dispatch,
      ...srtpBenches(),
      ...(await srtBenches()),
      ...datagrams.benches,
    ]) {
      results.push(await runUnitBench(bench))
    }
  } finally {
    datagrams.close()
  }
  closeRigs()
  return results
}
