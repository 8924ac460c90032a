import type { AccessUnit } from '../../access-unit.ts'
import { rescale } from '../../time/rescale.ts'
import type { MediaTrack, Track } from '../../track.ts'
import type { UnitPieces } from '../annexb/unit-pieces.ts'
import { canCarryInTs } from '../mpegts/stream-entry.ts'
import { modulo, PES_CLOCK_RANGE, PES_TIMESCALE } from '../pes/clock.ts'
import { PES_MAX_LENGTH, serializePesContinuation, serializePesHeader } from '../pes/header.ts'
import { pesUnitPiecesOf } from '../pes/unit-pieces.ts'
import { serializePackHeader, serializeSystemHeader } from './pack-header.ts'
import { serializePsStreamMap } from './stream-map.ts'
import { psStreamTypeOf } from './stream-types.ts'

const FIRST_ID = { audio: 0xc0, video: 0xe0 } as const
/** The most streams of a kind: as many as there are ids. */
const MAX_STREAMS = { audio: 32, video: 16 } as const
/** Without pictures, the map comes this often. */
const MAP_INTERVAL_TICKS = PES_TIMESCALE
/** The data of a packet, so that its header and times fit the largest length. */
const MAX_DATA_SIZE_BYTES = PES_MAX_LENGTH - 13
const VERSIONS = 32

type MuxedStream = { readonly id: number; readonly track: MediaTrack; readonly pieces: UnitPieces }

/**
 * Returns true when a program stream can carry a track: H.264, H.265, AAC that ADTS has room for, MPEG audio, and G.711 of
 * 8 kHz and one channel.
 */
export function canCarryInPs(track: Track): track is MediaTrack {
  return canCarryInTs(track) && psStreamTypeOf(track) !== undefined
}

/**
 * Makes an MPEG program stream as GB/T 28181 has it: each unit is a pack, a system header and a map (PSM) come before
 * keyframes, and units of more than 65,535 bytes are in several PES packets, of which the first has the times.
 * Times are those of the units, in 90 kHz modulo 2^33; the clock of a pack is the decoding time of its unit.
 */
export class PsMuxer {
  /** By the id of the track. */
  #streams = new Map<number, MuxedStream>()
  #systemHeader: Buffer = Buffer.alloc(0)
  #map: Buffer = Buffer.alloc(0)
  #version = -1
  #mapTicks: number | undefined

  /**
   * Sets the tracks, at first and when they change; the map comes with the next unit.
   * @throws {RangeError} for a track that `canCarryInPs` refuses, or more than 16 of pictures or 32 of sound.
   * @throws {MalformedError} when the configuration of a track is broken.
   */
  start(tracks: readonly Track[]): void {
    const streams = new Map<number, MuxedStream>()
    const counts = { audio: 0, video: 0 }
    const entries = tracks.map((track) => {
      const streamType = canCarryInPs(track) ? psStreamTypeOf(track) : undefined
      if (!canCarryInPs(track) || streamType === undefined) {
        throw new RangeError(`a program stream cannot carry this track of ${track.codec}`)
      }
      const index = counts[track.kind]++
      if (index >= MAX_STREAMS[track.kind]) throw new RangeError(`too many tracks of ${track.kind}`)
      const id = FIRST_ID[track.kind] + index
      streams.set(track.id, { id, track, pieces: pesUnitPiecesOf(track) })
      return { streamType, streamId: id }
    })
    this.#version = (this.#version + 1) % VERSIONS
    this.#streams = streams
    this.#systemHeader = serializeSystemHeader(entries.map(({ streamId }) => streamId))
    this.#map = serializePsStreamMap({ version: this.#version, current: true, streams: entries })
    this.#mapTicks = undefined
  }

  /**
   * The pack of a unit, in one new buffer.
   * @throws {RangeError} for a unit of a track that was not given to `start`.
   * @throws {MalformedError} when lengths within the unit are wrong.
   */
  mux(unit: AccessUnit): Buffer {
    const { track } = unit
    const stream = this.#streams.get(track.id)
    if (stream?.track !== track) throw new RangeError(`the muxer was not started with this track of ${track.codec}`)
    const dts = rescale(unit.dts, track.timescale, PES_TIMESCALE)
    const pts = rescale(unit.pts, track.timescale, PES_TIMESCALE)
    const parts = [serializePackHeader(modulo(Math.min(dts, pts), PES_CLOCK_RANGE))]
    if (this.#needsMap(unit, dts)) {
      this.#mapTicks = dts
      parts.push(this.#systemHeader, this.#map)
    }
    const data = Buffer.concat(stream.pieces(unit))
    for (let offset = 0; offset === 0 || offset < data.length; offset += MAX_DATA_SIZE_BYTES) {
      const piece = data.subarray(offset, offset + MAX_DATA_SIZE_BYTES)
      const header =
        offset === 0
          ? serializePesHeader(stream.id, pts, dts, piece.length)
          : serializePesContinuation(stream.id, piece.length)
      parts.push(header, piece)
    }
    return Buffer.concat(parts)
  }

  #needsMap({ track, keyframe }: AccessUnit, dts: number): boolean {
    if (this.#mapTicks === undefined || (track.kind === 'video' && keyframe)) return true
    const hasPictures = [...this.#streams.values()].some((stream) => stream.track.kind === 'video')
    return !hasPictures && dts - this.#mapTicks >= MAP_INTERVAL_TICKS
  }
}
