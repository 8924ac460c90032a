import type { MuxerFormat } from 'sluice/sdk'
import { FLV_FORMAT } from 'sluice/sdk/media'
import { RtmpFormats } from '../../../plugins/rtmp/from-stream.ts'
import type { Tape } from '../media/tape.ts'
import { recordedUnits } from './recorded-units.ts'
import type { UnitBench } from './unit-bench.ts'

/** What players get as a rule. */
export const RTMP_FORMAT = new RtmpFormats().get({ chunkSizeBytes: 65_536, messageStreamId: 1, multitrack: false })

/** From access units to the bytes of a format. */
export function muxBenches(tape: Tape): UnitBench[] {
  const { tracks, units } = recordedUnits(tape)
  return [RTMP_FORMAT, FLV_FORMAT].map((format: MuxerFormat) => {
    const muxer = format.createMuxer()
    muxer.start({ tracks, metadata: {} })
    const run = () => {
      for (const unit of units) muxer.mux(unit)
    }
    return { name: `mux ${format.name}`, units: units.length, run }
  })
}
