import { tryParse } from '../../codec/try-parse.ts'
import type { UnitSink } from '../../unit-sink.ts'
import type { Track } from '../../track.ts'
import type { DemuxCounts } from './demux-counts.ts'
import { TS_NULL_PID, type TsPacket } from './packet.ts'
import { parsePesHeader } from '../pes/header.ts'
import { ProgramStreams, type PesStream, type ProgramStream, type SectionStream } from './program-streams.ts'
import { parsePmt, TS_PMT_TABLE_ID, type TsProgram, type TsProgramMap } from './program-tables.ts'
import type { TsSection } from './section.ts'
import { TablePid } from './table-pid.ts'

/** An elementary stream of an MPEG-TS. */
export type TsStreamPlace = {
  /** The number of its program, 1–65,535. */
  readonly programNumber: number
  readonly pid: number
  readonly kind: Track['kind']
}

/** Chooses the sink for the track of a stream; undefined leaves the stream out. */
export type TsSinkChoice = (place: TsStreamPlace) => UnitSink | undefined

const NO_STREAMS: TsProgramMap = { pcrPid: TS_NULL_PID, descriptors: [], streams: [] }

/** Turns the packets of one program into tracks and units. */
export class ProgramDemuxer {
  readonly streams: ProgramStreams
  readonly #counts: DemuxCounts
  #program: TsProgram
  #map: TablePid
  #lastMap: Buffer | undefined
  /** The PID with the clock. */
  #clockPid: number | undefined

  constructor(program: TsProgram, sinkOf: TsSinkChoice, counts: DemuxCounts) {
    this.#program = program
    this.#map = new TablePid(counts)
    this.#counts = counts
    this.streams = new ProgramStreams(
      (pid, kind) => sinkOf({ programNumber: this.#program.programNumber, pid, kind }),
      counts,
    )
  }

  get programNumber(): number {
    return this.#program.programNumber
  }

  reads({ pid, programNumber }: TsProgram): boolean {
    return pid === this.#program.pid && programNumber === this.#program.programNumber
  }

  /** Goes on with another program, or with another PID of its table: streams of the same format go on. */
  follow(program: TsProgram): void {
    if (this.reads(program)) return
    this.#program = program
    this.#map = new TablePid(this.#counts)
    this.#lastMap = undefined
  }

  packet(packet: TsPacket): void {
    const { pid } = packet
    if (packet.pcr !== undefined && pid === this.#clockPid) this.streams.clock(packet.pcr)
    const stream = this.streams.get(pid)
    const table = stream === undefined && pid === this.#program.pid ? this.#map : undefined
    if (!packet.hasPayload) {
      const counted = stream ?? table
      // Its counter may be any, and that of the next one goes on from there (2.4.3.4).
      if (packet.discontinuity && counted) counted.counter = packet.continuityCounter
    } else if (stream) this.#media(stream, packet)
    else if (table) table.push(packet, (section, bytes) => this.#readMap(section, bytes))
  }

  /** Drops the units that are held back. */
  restart(): void {
    for (const stream of this.streams.values()) abort(stream)
    this.streams.loseTime()
    this.#forgetPlace()
  }

  /** Drops units that may lack packets: so many are missing that counters do not show it. */
  lost(): void {
    for (const stream of this.streams.values()) {
      if (stream.assembler?.open || stream.kind === 'video') this.#lost(stream)
      else abort(stream)
    }
    this.#forgetPlace()
  }

  /** Writes the units that are held back, and takes counters as they come. */
  flush(): void {
    for (const stream of this.streams.values()) {
      this.#finish(stream)
      stream.counter = undefined
    }
    this.streams.loseTime()
    this.#map.counter = undefined
  }

  /** Ends its tracks: the program is no more. */
  end(): void {
    this.streams.update(NO_STREAMS, (stream) => this.#finish(stream))
  }

  #media(stream: ProgramStream, packet: TsPacket): void {
    const order = this.#counts.follow(stream, packet)
    if (order === 'duplicate') return
    if (packet.scrambled) return this.#counts.leaveAside('scrambled')
    if (order === 'gap') this.#lost(stream)
    if (stream.sections) return this.#sections(stream, packet)
    const { assembler } = stream
    if (packet.unitStart) {
      this.#write(stream, assembler.finish())
      assembler.start()
    }
    try {
      this.#write(stream, assembler.push(packet.payload))
    } catch (error) {
      this.#counts.drop(error)
    }
  }

  #sections({ sections, elementary }: SectionStream, packet: TsPacket): void {
    for (const section of sections.push(packet.payload, packet.unitStart)) {
      try {
        elementary.write(section, undefined, undefined)
      } catch (error) {
        this.#counts.drop(error)
      }
    }
  }

  /** Packets of a stream are missing. */
  #lost(stream: ProgramStream): void {
    if (stream.assembler?.open) this.#counts.droppedUnits += 1
    abort(stream)
    stream.elementary.lost()
  }

  /** Takes any counter from the next packet of each PID, and forgets a table that has begun. */
  #forgetPlace(): void {
    for (const stream of this.streams.values()) stream.counter = undefined
    this.#map.reset()
  }

  #finish(stream: ProgramStream): void {
    if (stream.assembler) this.#write(stream, stream.assembler.finish())
  }

  #write(stream: PesStream, packet: Buffer | null): void {
    if (!packet) return
    try {
      const { sizeBytes, pts, dts } = parsePesHeader(packet)
      stream.elementary.write(packet.subarray(sizeBytes), pts, dts)
      this.streams.wrote(stream, dts ?? pts)
    } catch (error) {
      this.#counts.drop(error)
    }
  }

  #readMap(section: TsSection, bytes: Buffer): void {
    if (section.tableId !== TS_PMT_TABLE_ID || section.tableIdExtension !== this.#program.programNumber) return
    if (this.#lastMap?.equals(bytes)) return
    const map = tryParse(parsePmt, section)
    if (!map) return
    this.#lastMap = Buffer.from(bytes)
    this.#clockPid = map.pcrPid
    this.streams.update(map, (stream) => this.#finish(stream))
  }
}

function abort({ assembler, sections, elementary }: ProgramStream): void {
  assembler?.abort()
  sections?.reset()
  elementary.interrupt()
}
