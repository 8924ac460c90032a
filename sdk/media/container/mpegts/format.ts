import type { AccessUnit } from '../../access-unit.ts'
import type { Muxer, MuxerFormat, MuxerStart } from '../../muxer.ts'
import { rescale } from '../../time/rescale.ts'
import { TsMuxer } from './muxer.ts'
import { canCarryInTs } from './stream-entry.ts'

/** How long a receiver that has lost the tables may have to wait for them, while no keyframe comes. */
const TABLES_INTERVAL_MS = 500

class LiveTsMuxer implements Muxer {
  readonly #muxer: TsMuxer
  #carried: MuxerStart['tracks'] = []
  /** When the tables were sent last; undefined when others are to be sent before the next unit. */
  #tablesMs: number | undefined

  constructor(former: Muxer | undefined) {
    this.#muxer = new TsMuxer(former instanceof LiveTsMuxer ? former.#muxer : undefined)
  }

  start({ tracks }: MuxerStart): Buffer {
    this.#carried = tracks.filter(canCarryInTs)
    this.#muxer.setTracks(this.#carried)
    this.#tablesMs = undefined
    return this.#muxer.tablesBetween()
  }

  configure(): null {
    // The tables that go before the next unit say it.
    return null
  }

  mux(unit: AccessUnit): Buffer | null {
    const { track } = unit
    if (!this.#carried.includes(track)) return null
    const packets = this.#muxer.mux(unit)
    const timeMs = rescale(unit.dts, track.timescale, 1000)
    const startsHere = track.kind === 'video' && unit.keyframe
    const sentMs = this.#tablesMs
    if (!startsHere && sentMs !== undefined && timeMs - sentMs < TABLES_INTERVAL_MS) return packets
    this.#tablesMs = timeMs
    return Buffer.concat([this.#muxer.tables(), packets])
  }
}

/**
 * A continuous MPEG-TS of one program that begins anywhere in the stream, with all tracks that `canCarryInTs`. What
 * leaves is always whole packets, so a sink may cut it into datagrams of seven (1,316 bytes).
 */
export const TS_FORMAT: MuxerFormat = {
  name: 'mpegts',
  carries: canCarryInTs,
  createMuxer: (former) => new LiveTsMuxer(former),
}
