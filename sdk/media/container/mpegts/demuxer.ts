import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import type { UnitSink } from '../../unit-sink.ts'
import { TsPacketReader } from './packet-reader.ts'
import { TS_NULL_PID, TS_PAT_PID } from './packet.ts'
import type { TsPacket } from './packet.ts'
import { parsePesHeader } from './pes-header.ts'
import { parsePat, parsePmt, TS_PAT_TABLE_ID, TS_PMT_TABLE_ID } from './program-tables.ts'
import type { TsProgram } from './program-tables.ts'
import { ProgramStreams } from './program-streams.ts'
import type { PesStream, ProgramStream, SectionStream } from './program-streams.ts'
import { parseTsSection, TsSectionReader } from './section.ts'
import type { TsSection } from './section.ts'

/**
 * After so many missing packets of a PID its counter, of 4 bits, shows nothing: the next one looks like the last one once more, and after
 * one more missing like its successor (ISO/IEC 13818-1 2.4.3.3).
 */
const MIN_UNSEEN_LOSS = 15

/** A PID with tables. */
type TablePid = { readonly sections: TsSectionReader; counter: number | undefined }

/**
 * Turns an MPEG-TS, as it comes in, into tracks and units of its first program: H.264, H.265, AAC (ADTS), MPEG audio,
 * AC-3, E-AC-3, Opus and G.711, and of data KLV and SCTE 35. Times are those of the stream, counters of 33 bits of 90 kHz,
 * which start again at 0. Data that states no time has the decoding time of the newest packet of the pictures, or else of the
 * sound; without both, that of the newest clock reference.
 *
 * Units that are broken, or of which packets are missing, are dropped and counted; the sink is told of the latter as lost.
 */
export class TsDemuxer {
  readonly #reader = new TsPacketReader()
  readonly #streams: ProgramStreams
  readonly #association = newTablePid()
  #map: TablePid | undefined
  #program: TsProgram | undefined
  #lastMap: Buffer | undefined
  /** The PID with the clock. */
  #clockPid: number | undefined
  #continuityErrors = 0
  #droppedUnits = 0

  constructor(sink: UnitSink) {
    this.#streams = new ProgramStreams(sink, () => {
      this.#droppedUnits += 1
    })
  }

  /** How many times packets were missing. */
  get continuityErrors(): number {
    return this.#continuityErrors
  }

  /** How many units were dropped: cut, broken, or before their configuration or their time was known. */
  get dropped(): number {
    return this.#droppedUnits
  }

  /** How many bytes lay outside packets. */
  get skippedBytes(): number {
    return this.#reader.skippedBytes
  }

  /** Streams of the program that make no track, for example `stream type 0x11`, and `scrambled`. */
  get unsupported(): ReadonlySet<string> {
    return this.#streams.unsupported
  }

  /** How many streams of the program can make a track, as far as its tables were read. */
  get streamCount(): number {
    return [...this.#streams.values()].length
  }

  /** Drops what is held back: the next bytes are from another place of the stream. Its tracks stay. */
  restart(): void {
    this.#reader.restart()
    for (const stream of this.#streams.values()) abort(stream)
    this.#streams.loseTime()
    this.#forgetPlace()
  }

  /**
   * Says that packets are missing before the next bytes, which are of the same stream. Where they may be so many of one PID that its
   * counter can't show it, all units are dropped of which a part has come, and pictures are taken for lost.
   * @param packets How many are missing at most, of all PIDs together.
   */
  lost(packets: number): void {
    this.#reader.restart()
    if (packets < MIN_UNSEEN_LOSS) return
    this.#continuityErrors += 1
    for (const stream of this.#streams.values()) {
      if (stream.assembler?.open || stream.kind === 'video') this.#lost(stream)
      else abort(stream)
    }
    this.#forgetPlace()
  }

  /**
   * Reads the next bytes, which are borrowed.
   * @throws {MalformedError} when there was no packet for many bytes; the demuxer can't go on afterwards.
   */
  push(bytes: Buffer): void {
    for (const packet of this.#reader.push(bytes)) this.#packet(packet)
  }

  /**
   * Writes the units that are held back until the next one begins. To be called at the end of the stream, and between
   * segments, whose continuity counters need not go on.
   */
  flush(): void {
    for (const stream of this.#streams.values()) {
      this.#finish(stream)
      stream.counter = undefined
    }
    this.#streams.loseTime()
    for (const table of [this.#association, this.#map]) if (table) table.counter = undefined
  }

  #packet(packet: TsPacket): void {
    const { pid } = packet
    if (pid === TS_NULL_PID || packet.transportError) return
    if (packet.pcr !== undefined && pid === this.#clockPid) this.#streams.clock(packet.pcr)
    const stream = this.#streams.get(pid)
    const table = stream === undefined ? this.#tableOf(pid) : undefined
    if (!packet.hasPayload) {
      const counted = stream ?? table
      // Its counter may be any, and that of the next one goes on from there (2.4.3.4).
      if (packet.discontinuity && counted) counted.counter = packet.continuityCounter
    } else if (stream) this.#media(stream, packet)
    else if (table) this.#table(table, packet)
  }

  #tableOf(pid: number): TablePid | undefined {
    if (pid === TS_PAT_PID) return this.#association
    return pid === this.#program?.pid ? this.#map : undefined
  }

  #media(stream: ProgramStream, packet: TsPacket): void {
    const order = this.#follow(stream, packet)
    if (order === 'duplicate') return
    if (packet.scrambled) return this.#streams.leaveAside('scrambled')
    if (order === 'gap') this.#lost(stream)
    if (stream.sections) return this.#sections(stream, packet)
    const { assembler } = stream
    if (packet.unitStart) {
      this.#write(stream, assembler.finish())
      assembler.start()
    }
    this.#write(stream, this.#orDrop(() => assembler.push(packet.payload)) ?? null)
  }

  #sections({ sections, elementary }: SectionStream, packet: TsPacket): void {
    for (const section of sections.push(packet.payload, packet.unitStart)) {
      this.#orDrop(() => elementary.write(section, undefined, undefined))
    }
  }

  /** Packets of a stream are missing. */
  #lost(stream: ProgramStream): void {
    if (stream.assembler?.open) this.#droppedUnits += 1
    abort(stream)
    stream.elementary.lost()
  }

  /** What comes next of each PID goes on from nothing. */
  #forgetPlace(): void {
    for (const stream of this.#streams.values()) stream.counter = undefined
    for (const table of [this.#association, this.#map]) {
      table?.sections.reset()
      if (table) table.counter = undefined
    }
  }

  #finish(stream: ProgramStream): void {
    if (stream.assembler) this.#write(stream, stream.assembler.finish())
  }

  #write(stream: PesStream, packet: Buffer | null): void {
    if (!packet) return
    this.#orDrop(() => {
      const { sizeBytes, pts, dts } = parsePesHeader(packet)
      stream.elementary.write(packet.subarray(sizeBytes), pts, dts)
      this.#streams.wrote(stream, dts ?? pts)
    })
  }

  #orDrop<Value>(act: () => Value): Value | undefined {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#droppedUnits += 1
      return undefined
    }
  }

  /** Compares the counter with the last one; a packet may come twice (ISO/IEC 13818-1 2.4.3.3). */
  #follow(pid: { counter: number | undefined }, packet: TsPacket): 'next' | 'duplicate' | 'gap' {
    const last = pid.counter
    pid.counter = packet.continuityCounter
    if (last === undefined || packet.discontinuity || packet.continuityCounter === (last + 1) % 16) return 'next'
    if (packet.continuityCounter === last) return 'duplicate'
    this.#continuityErrors += 1
    return 'gap'
  }

  #table(table: TablePid, packet: TsPacket): void {
    const order = this.#follow(table, packet)
    if (order === 'duplicate') return
    if (order === 'gap') table.sections.reset()
    for (const bytes of table.sections.push(packet.payload, packet.unitStart)) {
      const section = tryParse(parseTsSection, bytes)
      if (!section?.current) continue
      if (table === this.#association) this.#readAssociation(section)
      else this.#readMap(section, bytes)
    }
  }

  #readAssociation(section: TsSection): void {
    if (section.tableId !== TS_PAT_TABLE_ID) return
    const programs = tryParse(() => parsePat(section), section.body) ?? []
    const media = programs.filter(({ programNumber }) => programNumber !== 0)
    const [first] = media
    const followed = this.#program
    if (!first || media.some((program) => followed && sameProgram(program, followed))) return
    this.#program = first
    this.#map = newTablePid()
    this.#lastMap = undefined
  }

  #readMap(section: TsSection, bytes: Buffer): void {
    if (section.tableId !== TS_PMT_TABLE_ID || section.tableIdExtension !== this.#program?.programNumber) return
    if (this.#lastMap?.equals(bytes)) return
    const map = tryParse(() => parsePmt(section), section.body)
    if (!map) return
    this.#lastMap = Buffer.from(bytes)
    this.#clockPid = map.pcrPid
    this.#streams.update(map, (stream) => this.#finish(stream))
  }
}

function abort({ assembler, sections, elementary }: ProgramStream): void {
  assembler?.abort()
  sections?.reset()
  elementary.interrupt()
}

function sameProgram(one: TsProgram, other: TsProgram): boolean {
  return one.pid === other.pid && one.programNumber === other.programNumber
}

function newTablePid(): TablePid {
  return { sections: new TsSectionReader(), counter: undefined }
}
