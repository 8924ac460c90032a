import { tryParse } from '../../codec/try-parse.ts'
import type { UnitSink } from '../../unit-sink.ts'
import { DemuxCounts } from './demux-counts.ts'
import { TsPacketReader } from './packet-reader.ts'
import { TS_NULL_PID, TS_PAT_PID, type TsPacket } from './packet.ts'
import { ProgramDemuxer, type TsSinkChoice } from './program-demuxer.ts'
import { parsePat, TS_PAT_TABLE_ID, type TsProgram } from './program-tables.ts'
import type { TsSection } from './section.ts'
import { TablePid } from './table-pid.ts'

/**
 * The number of missing packets of a PID from which on its counter, of 4 bits, does not show them: the next packet looks like
 * the last one once more, and after one more missing like its successor (ISO/IEC 13818-1 2.4.3.3).
 */
const MIN_UNSEEN_LOSS = 15
/** The most programs that are read, as each may hold back some pictures; further ones are ignored. */
export const TS_MAX_PROGRAMS = 8

/**
 * Turns an MPEG-TS, as it comes in, into tracks and units: H.264, H.265, AAC (ADTS), MPEG audio, AC-3, E-AC-3, Opus and
 * G.711, and of data KLV and SCTE 35. Times are those of the stream, counters of 33 bits of 90 kHz, which start again at 0.
 * Data that states no time has the decoding time of the newest packet of the pictures, or else of the sound; without both,
 * that of the newest clock reference.
 *
 * Broken units, and units with missing packets, are dropped and counted; the sink's `lost` is called for the latter.
 */
export class TsDemuxer {
  readonly #reader = new TsPacketReader()
  readonly #counts = new DemuxCounts()
  readonly #association = new TablePid(this.#counts)
  readonly #sinkOf: TsSinkChoice
  readonly #maxPrograms: number
  #programs: readonly ProgramDemuxer[] = []

  /**
   * @param sink Takes the first program: all its tracks, of which further ones of a kind have layers. Or a function that
   *   chooses a sink for each stream of all programs, by program number and PID: several renditions in one MPEG-TS are taken
   *   apart so, each into a stream of its own. It is called when the tables name a stream; one that moves to another PID
   *   keeps its sink. Layers distinguish tracks of one program and sink.
   */
  constructor(sink: UnitSink | TsSinkChoice) {
    const isChoice = typeof sink === 'function'
    this.#sinkOf = isChoice ? sink : () => sink
    this.#maxPrograms = isChoice ? TS_MAX_PROGRAMS : 1
  }

  /** The number of times that packets were missing. */
  get continuityErrors(): number {
    return this.#counts.continuityErrors
  }

  /** The number of units that were dropped: cut, broken, or before their configuration or their time was known. */
  get dropped(): number {
    return this.#counts.droppedUnits
  }

  /** The number of bytes outside packets. */
  get skippedBytes(): number {
    return this.#reader.skippedBytes
  }

  /** Streams of the programs that make no track, for example `stream type 0x11`, and `scrambled`. */
  get unsupported(): ReadonlySet<string> {
    return this.#counts.unsupported
  }

  /** The number of streams that can make a track, as far as the tables were read. */
  get streamCount(): number {
    return this.#programs.reduce((sum, { streams }) => sum + streams.size, 0)
  }

  /** Drops the units that are held back: the next bytes are from another place of the stream. Its tracks stay. */
  restart(): void {
    this.#reader.restart()
    this.#association.reset()
    for (const program of this.#programs) program.restart()
  }

  /**
   * Declares that packets are missing before the next bytes, which are of the same stream. Where they may be so many of one
   * PID that its counter can't show it, all units that have come in part are dropped, and pictures are taken for lost.
   * @param packets The most packets that are missing, of all PIDs together.
   */
  lost(packets: number): void {
    this.#reader.restart()
    if (packets < MIN_UNSEEN_LOSS) return
    this.#counts.continuityErrors += 1
    this.#association.reset()
    for (const program of this.#programs) program.lost()
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
   * segments: their continuity counters need not go on.
   */
  flush(): void {
    for (const program of this.#programs) program.flush()
    this.#association.counter = undefined
  }

  #packet(packet: TsPacket): void {
    const { pid } = packet
    if (pid === TS_NULL_PID || packet.transportError) return
    if (pid !== TS_PAT_PID)
      for (let index = 0; index < this.#programs.length; index++) this.#programs[index]!.packet(packet)
    else if (packet.hasPayload) this.#association.push(packet, (section) => this.#readAssociation(section))
    // Its counter may be any, and that of the next one goes on from there (2.4.3.4).
    else if (packet.discontinuity) this.#association.counter = packet.continuityCounter
  }

  #readAssociation(section: TsSection): void {
    if (section.tableId !== TS_PAT_TABLE_ID) return
    const programs = tryParse(parsePat, section) ?? []
    const media = programs.filter(({ programNumber }) => programNumber !== 0)
    if (media.length === 0) return
    if (this.#maxPrograms > 1) this.#followAll(media)
    else this.#followOne(media)
  }

  /** Stays with the program that is read, as long as there is one like it. */
  #followOne(programs: readonly TsProgram[]): void {
    const [first] = programs
    const [followed] = this.#programs
    if (followed === undefined) this.#programs = [this.#open(first!)]
    else if (!programs.some((program) => followed.reads(program))) followed.follow(first!)
  }

  #followAll(programs: readonly TsProgram[]): void {
    const byNumber = new Map(programs.slice(0, this.#maxPrograms).map((program) => [program.programNumber, program]))
    for (const former of this.#programs) if (!byNumber.has(former.programNumber)) former.end()
    this.#programs = [...byNumber.values()].map((program) => {
      const known = this.#programs.find(({ programNumber }) => programNumber === program.programNumber)
      known?.follow(program)
      return known ?? this.#open(program)
    })
  }

  #open(program: TsProgram): ProgramDemuxer {
    return new ProgramDemuxer(program, this.#sinkOf, this.#counts)
  }
}
