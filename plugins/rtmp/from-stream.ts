import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import {
  flvConfigBody,
  flvTagType,
  flvUnitHeader,
  isMainTrack,
  serializeOnMetaData,
  unitTimestampMs,
} from 'sluice/sdk/media'
import { serializeChunks } from './wire/chunk/chunk-writer.ts'
import { MESSAGE_TYPE } from './wire/message/message-type.ts'
import { CHUNK_STREAM_ID } from './wire/message/raw-message.ts'

/** What makes the bytes of one player differ from another's. */
export type RtmpFormatOptions = {
  readonly chunkSizeBytes: number
  readonly messageStreamId: number
  /** The player understands several tracks of a kind (enhanced RTMP v2); others get the main ones. */
  readonly multitrack: boolean
}

/** A stream as RTMP messages in chunks with full headers and absolute time: the same bytes for every player. */
class RtmpMuxer implements Muxer {
  readonly #options: RtmpFormatOptions

  constructor(options: RtmpFormatOptions) {
    this.#options = options
  }

  start({ tracks }: MuxerStart): Buffer {
    const carried = tracks.filter((track) => this.#carries(track))
    const parts = [this.#serialize(MESSAGE_TYPE.dataAmf0, CHUNK_STREAM_ID.data, 0, [serializeOnMetaData(carried)])]
    for (const track of carried) {
      const config = this.configure(track, 0)
      if (config !== null) parts.push(config)
    }
    return Buffer.concat(parts)
  }

  configure(track: Track, timeMs: number): Buffer | null {
    if (!this.#carries(track)) return null
    const body = flvConfigBody(track, multitrackId(track))
    return body === null ? null : this.#media(track, timeMs, [body])
  }

  mux(unit: AccessUnit): Buffer | null {
    const { track } = unit
    if (!this.#carries(track)) return null
    return this.#media(track, unitTimestampMs(unit), [flvUnitHeader(unit, multitrackId(track)), unit.data])
  }

  #carries(track: Track): boolean {
    if (isMainTrack(track)) return true
    // G.711 has no FourCC, which further tracks need.
    return this.#options.multitrack && track.codec !== 'pcma' && track.codec !== 'pcmu'
  }

  #media(track: Track, timeMs: number, parts: readonly Buffer[]): Buffer {
    return this.#serialize(flvTagType(track), CHUNK_STREAM_ID[track.kind], timeMs, parts)
  }

  #serialize(typeId: number, chunkStreamId: number, timestamp: number, parts: readonly Buffer[]): Buffer {
    const { messageStreamId, chunkSizeBytes } = this.#options
    return serializeChunks({ chunkStreamId, typeId, messageStreamId, timestamp }, parts, chunkSizeBytes)
  }
}

/** A further track's number in enhanced RTMP; undefined for the main track, which goes without one. */
function multitrackId(track: Track): number | undefined {
  const name = track.name ?? ''
  if (name === '') return undefined
  const id = Number(name)
  return Number.isInteger(id) && id > 0 && id < 256 ? id : (track.id % 255) + 1
}

/** Formats by what makes them differ, so that players who can share a muxer do. */
export class RtmpFormats {
  readonly #formats = new Map<string, MuxerFormat>()

  get(options: RtmpFormatOptions): MuxerFormat {
    const key = `${options.chunkSizeBytes} ${options.messageStreamId} ${options.multitrack}`
    const known = this.#formats.get(key)
    if (known !== undefined) return known
    const format: MuxerFormat = { name: 'rtmp', createMuxer: () => new RtmpMuxer(options) }
    this.#formats.set(key, format)
    return format
  }
}
