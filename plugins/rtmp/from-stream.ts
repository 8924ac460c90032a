import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import {
  canCarryInFlv,
  flvConfigBody,
  flvTagType,
  flvUnitHeader,
  mainTracks,
  serializeOnMetaData,
  unitTimestampMs,
} from 'sluice/sdk/media'
import { serializeChunks } from './wire/chunk/chunk-writer.ts'
import { MESSAGE_TYPE } from './wire/message/message-type.ts'
import { CHUNK_STREAM_ID } from './wire/message/raw-message.ts'

/** The options that change the bytes of a player. Players with equal options share a muxer. */
export type RtmpFormatOptions = {
  readonly chunkSizeBytes: number
  readonly messageStreamId: number
  /** The player understands several tracks of a kind (enhanced RTMP v2); others get the main ones. */
  readonly multitrack: boolean
}

/** A stream as RTMP messages in chunks with full headers and absolute time: the same bytes for every player. */
class RtmpMuxer implements Muxer {
  readonly #options: RtmpFormatOptions
  #main: readonly Track[] = []

  constructor(options: RtmpFormatOptions) {
    this.#options = options
  }

  start({ tracks }: MuxerStart): Buffer {
    this.#main = mainTracks(tracks.filter(canCarryInFlv))
    const further = tracks.filter((track) => !this.#main.includes(track) && this.#carries(track))
    const carried = [...this.#main, ...further]
    const parts = [this.#serialize(MESSAGE_TYPE.dataAmf0, CHUNK_STREAM_ID.data, 0, [serializeOnMetaData(carried)])]
    for (const track of carried) {
      const config = this.configure(track, 0)
      if (config !== null) parts.push(config)
    }
    return Buffer.concat(parts)
  }

  configure(track: Track, timeMs: number): Buffer | null {
    if (!this.#carries(track)) return null
    const body = flvConfigBody(track, this.#multitrackId(track))
    return body === null ? null : this.#media(track, timeMs, [body])
  }

  mux(unit: AccessUnit): Buffer | null {
    const { track } = unit
    if (!this.#carries(track)) return null
    return this.#media(track, unitTimestampMs(unit), [flvUnitHeader(unit, this.#multitrackId(track)), unit.data])
  }

  #carries(track: Track): boolean {
    if (this.#main.includes(track)) return true
    // G.711 has no FourCC, which further tracks need.
    const { codec } = track
    return this.#options.multitrack && canCarryInFlv(track) && codec !== 'pcma' && codec !== 'pcmu'
  }

  /** A further track's number in enhanced RTMP; undefined for a main track, which goes without one. */
  #multitrackId(track: Track): number | undefined {
    if (this.#main.includes(track)) return undefined
    const id = Number(track.layer ?? '')
    return Number.isInteger(id) && id > 0 && id < 256 ? id : (track.id % 255) + 1
  }

  #media(track: Track, timeMs: number, parts: readonly Buffer[]): Buffer {
    return this.#serialize(flvTagType(track), CHUNK_STREAM_ID[track.kind], timeMs, parts)
  }

  #serialize(typeId: number, chunkStreamId: number, timestamp: number, parts: readonly Buffer[]): Buffer {
    const { messageStreamId, chunkSizeBytes } = this.#options
    return serializeChunks({ chunkStreamId, typeId, messageStreamId, timestamp }, parts, chunkSizeBytes)
  }
}

/** The formats of the streams, one for each set of options, so that players with equal options share a muxer. */
export class RtmpFormats {
  readonly #formats = new Map<string, MuxerFormat>()

  get(options: RtmpFormatOptions): MuxerFormat {
    const key = `${options.chunkSizeBytes} ${options.messageStreamId} ${options.multitrack}`
    const known = this.#formats.get(key)
    if (known !== undefined) return known
    const format: MuxerFormat = { name: 'rtmp', carries: canCarryInFlv, createMuxer: () => new RtmpMuxer(options) }
    this.#formats.set(key, format)
    return format
  }
}
