import type { AccessUnit } from '../../access-unit.ts'
import { rescale } from '../../time/rescale.ts'
import type { Track } from '../../track.ts'
import { PES_TIMESCALE } from '../pes/clock.ts'
import {
  TS_NULL_PID,
  TS_PACKET_SIZE_BYTES,
  TS_PAT_PID,
  serializeTsDiscontinuity,
  tsPacketCount,
  writePcrPacket,
  writeTsPackets,
} from './packet.ts'
import type { TsUnitPackets } from './packet.ts'
import { tsProgramDescriptors } from './data-entry.ts'
import { PES_STREAM_ID, serializePesHeader } from '../pes/header.ts'
import { serializePat, serializePmt, TS_PAT_TABLE_ID, TS_PMT_TABLE_ID } from './program-tables.ts'
import { sectionPacketCount, serializeSectionPackets } from './section-packets.ts'
import { serializeTsSection } from './section.ts'
import { moveSpliceTimes } from './splice-info-section.ts'
import { tsStreamEntry } from './stream-entry.ts'
import { tsUnitPiecesOf } from './unit-pieces.ts'
import type { UnitPieces } from '../annexb/unit-pieces.ts'

/**
 * The ticks by which units' times lie ahead of the clock: a receiver takes each unit in before it is decoded, also those of a
 * track that comes a little later than the one with the clock.
 */
export const TS_CLOCK_LEAD_TICKS = PES_TIMESCALE / 5

/** The standard asks for a clock reference each 100 ms (ISO/IEC 13818-1 D.0.3); this leaves room. */
const MAX_CLOCK_GAP_TICKS = (PES_TIMESCALE * 80) / 1000

/** The most that a picture may be shown before it is decoded, as FLV has it; times with more are taken for wrong. */
const MAX_EARLY_TICKS = PES_TIMESCALE

const PMT_PID = 0x1000
const FIRST_PID = 0x100
const PID_COUNT = PMT_PID - FIRST_PID
const PROGRAM_NUMBER = 1
const TRANSPORT_STREAM_ID = 1

type MuxedStream = {
  readonly codec: Track['codec']
  readonly pid: number
  readonly streamId: number
  config: Track['config']
  pieces: UnitPieces
  continuityCounter: number
  /** The ticks by which units are decoded earlier in the stream than they say, so that none is shown before that (2.7.4). */
  earlyTicks: number
  /** The newest decoding time. */
  lastTicks: number
}

/**
 * Makes an MPEG-TS of one program (ISO/IEC 13818-1). `tables` goes before the first unit and wherever a receiver may
 * start: before each segment, or each keyframe of a continuous stream. A muxer serves one timeline; make another where
 * times begin anew. One for receivers that come from another stream goes on with the counters, the clock
 * and the version of the tables that they have had.
 *
 * The times in it are those of the units and {@link TS_CLOCK_LEAD_TICKS} more; the clock, carried by the first track of
 * video, else of audio, else of KLV, is the decoding time. That lies earlier where pictures would be shown before it.
 */
export class TsMuxer {
  /** The streams by the id of the track. */
  readonly #streams = new Map<number, MuxedStream>()
  /** The number of streams so far, gone ones included. */
  #streamCount = 0
  #clockStream: MuxedStream | undefined
  #programMap: Buffer = Buffer.alloc(0)
  #programMapVersion = 0
  #lastClock: number | undefined
  readonly #tableCounters = { [TS_PAT_PID]: 0, [PMT_PID]: 0 }
  /** The counters and times of a former muxer's streams, by PID. */
  readonly #formerStreams = new Map<number, Pick<MuxedStream, 'continuityCounter' | 'lastTicks'>>()

  /** @param former The muxer that the receivers come from. */
  constructor(former?: TsMuxer) {
    if (former === undefined) return
    this.#programMap = former.#programMap
    this.#programMapVersion = former.#programMapVersion
    this.#lastClock = former.#lastClock
    Object.assign(this.#tableCounters, former.#tableCounters)
    for (const { pid, continuityCounter, lastTicks } of former.#streams.values()) {
      this.#formerStreams.set(pid, { continuityCounter, lastTicks })
    }
  }

  /**
   * Sets the tracks, at first and when they change. PIDs follow the order of the tracks and not their ids, so that a
   * timeline has the PIDs of the one before it: FFmpeg looks for no others. A track that goes on keeps its PID. The
   * tables get another version.
   * @throws {RangeError} for a track that `canCarryInTs` and `canCarryDataInTs` refuse.
   * @returns what {@link tables} gives.
   */
  start(tracks: readonly Track[]): Buffer {
    this.setTracks(tracks)
    return this.tables()
  }

  /** Sets the tracks as {@link start} does, for a caller that sends the tables at another time. */
  setTracks(tracks: readonly Track[]): void {
    const pids = tracks.map((track) => this.#streamOf(track)?.pid ?? FIRST_PID + (this.#streamCount++ % PID_COUNT))
    const entries = tracks.map((track, index) => tsStreamEntry(track, pids[index]!))
    const streams = tracks.map((track, index) => this.#streamOf(track) ?? this.#newStream(track, pids[index]!))
    this.#streams.clear()
    for (const [index, { id }] of tracks.entries()) this.#streams.set(id, streams[index]!)
    const clockTrack = clockTrackOf(tracks)
    this.#clockStream = clockTrack && this.#streams.get(clockTrack.id)
    const pcrPid = this.#clockStream?.pid ?? TS_NULL_PID
    const map = serializePmt({ pcrPid, descriptors: tsProgramDescriptors(tracks), streams: entries })
    const changed = this.#programMap.length > 0 && !this.#programMap.equals(map)
    if (changed) this.#programMapVersion = (this.#programMapVersion + 1) % 32
    this.#programMap = map
  }

  /** PAT and PMT, to be sent once. */
  tables(): Buffer {
    return this.#tables('next')
  }

  /**
   * PAT and PMT for a receiver that begins between two times that they are sent. They count as those that were sent last,
   * so that to it, too, the next ones go on.
   */
  tablesBetween(): Buffer {
    return this.#tables('last')
  }

  /**
   * The packets of a unit, in one new buffer. A clock reference comes before them when the last is too long ago.
   * @throws {RangeError} for a unit of a track that was not given to `start`.
   * @throws {MalformedError} when lengths within the unit are wrong, or a unit that is not of video is too long to be carried.
   */
  mux(unit: AccessUnit): Buffer {
    const { track } = unit
    const stream = this.#streams.get(track.id)
    if (!stream) throw new RangeError(`MPEG-TS was not started with this track of ${track.codec}`)
    if (stream.config !== track.config) reconfigure(stream, track)
    const showTicks = rescale(unit.pts, track.timescale, PES_TIMESCALE)
    if (track.codec === 'scte35') {
      return writeSection(stream, moveSpliceTimes(unit.data, showTicks + TS_CLOCK_LEAD_TICKS))
    }
    const pieces = stream.pieces(unit)
    const decodeTicks = rescale(unit.dts, track.timescale, PES_TIMESCALE)
    const lateTicks = decodeTicks - showTicks
    if (lateTicks <= MAX_EARLY_TICKS) stream.earlyTicks = Math.max(stream.earlyTicks, lateTicks)
    const clock = Math.max(decodeTicks - stream.earlyTicks, stream.lastTicks + 1)
    stream.lastTicks = clock
    const dts = clock + TS_CLOCK_LEAD_TICKS
    const pts = Math.max(showTicks, clock) + TS_CLOCK_LEAD_TICKS
    const dataSizeBytes = sizeOf(pieces)
    const header = serializePesHeader(stream.streamId, pts, dts, dataSizeBytes)
    pieces.unshift(header)
    return this.#write(unit, stream, clock, pieces, header.length + dataSizeBytes)
  }

  #write(unit: AccessUnit, stream: MuxedStream, clock: number, pieces: readonly Buffer[], sizeBytes: number): Buffer {
    const { pid, continuityCounter } = stream
    const hasClock = stream === this.#clockStream
    const randomAccess = unit.keyframe && (hasClock || unit.track.kind === 'video')
    const packets = { pid, continuityCounter, randomAccess, pcr: hasClock ? this.#tick(clock) : undefined }
    const reference = hasClock || unit.track.kind === 'data' ? undefined : this.#overdueClock(clock)
    const count = tsPacketCount(packets, sizeBytes)
    const bytes = Buffer.allocUnsafe((count + (reference ? 1 : 0)) * TS_PACKET_SIZE_BYTES)
    const offset = reference ? writePcrPacket(bytes, 0, reference) : 0
    writeTsPackets(bytes, offset, packets, pieces, sizeBytes)
    stream.continuityCounter = (continuityCounter + count) % 16
    return bytes
  }

  /** Sets the clock, which never runs back: a track may lie behind the one that set it last. */
  #tick(clock: number): number {
    return (this.#lastClock = Math.max(clock, this.#lastClock ?? clock))
  }

  /** The clock reference to send before another track, while the track that carries the clock pauses. */
  #overdueClock(clock: number): TsUnitPackets | undefined {
    const stream = this.#clockStream
    if (!stream || (this.#lastClock !== undefined && clock - this.#lastClock < MAX_CLOCK_GAP_TICKS)) return undefined
    // The counter stays that of the packet before, since there is no payload.
    const continuityCounter = (stream.continuityCounter + 15) % 16
    return { pid: stream.pid, continuityCounter, randomAccess: false, pcr: this.#tick(clock) }
  }

  /** The stream that goes on with a track, whatever its configuration was; undefined for a new one. */
  #streamOf({ id, codec }: Track): MuxedStream | undefined {
    const stream = this.#streams.get(id)
    return stream?.codec === codec ? stream : undefined
  }

  #newStream(track: Track, pid: number): MuxedStream {
    const { continuityCounter = 0, lastTicks = -Infinity } = this.#formerStreams.get(pid) ?? {}
    return {
      codec: track.codec,
      pid,
      streamId: streamIdOf(track),
      config: track.config,
      pieces: tsUnitPiecesOf(track),
      continuityCounter,
      lastTicks,
      earlyTicks: 0,
    }
  }

  #tables(counted: 'next' | 'last'): Buffer {
    const programs = serializePat([{ programNumber: PROGRAM_NUMBER, pid: PMT_PID }])
    const held = { version: 0, current: true }
    const association = { ...held, tableId: TS_PAT_TABLE_ID, tableIdExtension: TRANSPORT_STREAM_ID, body: programs }
    const version = this.#programMapVersion
    const map = { ...held, tableId: TS_PMT_TABLE_ID, tableIdExtension: PROGRAM_NUMBER, version, body: this.#programMap }
    const pat = this.#table(TS_PAT_PID, serializeTsSection(association), counted)
    return Buffer.concat([pat, this.#table(PMT_PID, serializeTsSection(map), counted)])
  }

  #table(pid: typeof TS_PAT_PID | typeof PMT_PID, section: Buffer, counted: 'next' | 'last'): Buffer {
    const next = this.#tableCounters[pid]
    const count = sectionPacketCount(section)
    const continuityCounter = counted === 'next' ? next : (next + 16 - count) % 16
    this.#tableCounters[pid] = (continuityCounter + count) % 16
    return serializeSectionPackets(pid, continuityCounter, section)
  }
}

/**
 * Packets that let the counters of tables and tracks begin anew (2.4.3.4): they go between the output of one muxer and that
 * of another, which does not know the former.
 */
export function serializeTsRestart(trackCount: number): Buffer {
  const pids = [TS_PAT_PID, PMT_PID, ...Array.from({ length: trackCount }, (_, index) => FIRST_PID + index)]
  return Buffer.concat(pids.map((pid) => serializeTsDiscontinuity(pid, 0)))
}

/** Data may pause, and is no sign of the time at which media is decoded. */
function clockTrackOf(tracks: readonly Track[]): Track | undefined {
  const first = (wanted: Track['kind']) => tracks.find(({ kind }) => kind === wanted)
  return first('video') ?? first('audio') ?? tracks.find(({ codec }) => codec === 'klv')
}

function writeSection(stream: MuxedStream, section: Buffer): Buffer {
  const { pid, continuityCounter } = stream
  stream.continuityCounter = (continuityCounter + sectionPacketCount(section)) % 16
  return serializeSectionPackets(pid, continuityCounter, section)
}

function reconfigure(stream: MuxedStream, track: Track): void {
  stream.config = track.config
  stream.pieces = tsUnitPiecesOf(track)
}

function streamIdOf({ kind, codec, config }: Track): number {
  if (kind === 'video') return PES_STREAM_ID.video
  if (kind === 'data') return config.record.length > 0 ? PES_STREAM_ID.metadata : PES_STREAM_ID.privateStream1
  return codec === 'ac3' || codec === 'eac3' || codec === 'opus' ? PES_STREAM_ID.privateStream1 : PES_STREAM_ID.audio
}

function sizeOf(pieces: readonly Buffer[]): number {
  let sizeBytes = 0
  for (const piece of pieces) sizeBytes += piece.length
  return sizeBytes
}
