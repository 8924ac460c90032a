import type { AccessUnit } from '../../access-unit.ts'
import type { Muxer, MuxerFormat, MuxerStart } from '../../muxer.ts'
import type { Track } from '../../track.ts'
import { rescale } from '../../time/rescale.ts'
import { TsMuxer } from './muxer.ts'
import { canCarryDataInTs } from './data-entry.ts'
import { canCarryInTs } from './stream-entry.ts'

/** The longest wait for the tables of a receiver that has lost them, while no keyframe comes. */
const TABLES_INTERVAL_MS = 500

class LiveTsMuxer implements Muxer {
  readonly #muxer: TsMuxer
  readonly #carries: (track: Track) => boolean
  #carried: MuxerStart['tracks'] = []
  #hasMedia = false
  /** The time at which the tables were sent last; undefined when others are to be sent before the next unit. */
  #tablesMs: number | undefined

  constructor(carries: (track: Track) => boolean, former: Muxer | undefined) {
    this.#carries = carries
    this.#muxer = new TsMuxer(former instanceof LiveTsMuxer ? former.#muxer : undefined)
  }

  start({ tracks }: MuxerStart): Buffer {
    this.#carried = tracks.filter(this.#carries)
    this.#hasMedia = this.#carried.some(({ kind }) => kind !== 'data')
    this.#muxer.setTracks(this.#carried)
    this.#tablesMs = undefined
    return this.#muxer.tablesBetween()
  }

  configure(): null {
    // The tables that go before the next unit announce the track.
    return null
  }

  mux(unit: AccessUnit): Buffer | null {
    const { track } = unit
    if (!this.#carried.includes(track)) return null
    const packets = this.#muxer.mux(unit)
    // The times of data may be anywhere: the tables go by those of media.
    if (track.kind === 'data' && this.#hasMedia && this.#tablesMs !== undefined) return packets
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
  createMuxer: (former) => new LiveTsMuxer(canCarryInTs, former),
}

/**
 * A stream as {@link TS_FORMAT}, with the tracks of data that MPEG-TS has a place for, KLV and SCTE 35, and for protocols
 * that promise a short delay: output is gathered for 10 ms at most, and sound leaves with the next picture, if that comes
 * within 40 ms.
 */
export const TS_DATA_FORMAT: MuxerFormat = {
  name: 'mpegts-data',
  data: true,
  carries: canCarryWithData,
  maxMergeMs: 10,
  soundWaitMs: 40,
  createMuxer: (former) => new LiveTsMuxer(canCarryWithData, former),
}

function canCarryWithData(track: Track): boolean {
  return canCarryInTs(track) || canCarryDataInTs(track)
}
