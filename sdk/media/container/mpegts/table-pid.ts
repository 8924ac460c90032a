import { tryParse } from '../../codec/try-parse.ts'
import type { CountedPid, DemuxCounts } from './demux-counts.ts'
import type { TsPacket } from './packet.ts'
import { parseTsSection, TsSectionReader, type TsSection } from './section.ts'

/** A PID with tables. */
export class TablePid implements CountedPid {
  counter: number | undefined
  readonly #counts: DemuxCounts
  readonly #sections = new TsSectionReader()

  constructor(counts: DemuxCounts) {
    this.#counts = counts
  }

  /** Takes a packet, and calls `take` with each section of it that holds now, and with its bytes. */
  push(packet: TsPacket, take: (section: TsSection, bytes: Buffer) => void): void {
    const order = this.#counts.follow(this, packet)
    if (order === 'duplicate') return
    if (order === 'gap') this.#sections.reset()
    for (const bytes of this.#sections.push(packet.payload, packet.unitStart)) {
      const section = tryParse(parseTsSection, bytes)
      if (section?.current === true) take(section, bytes)
    }
  }

  /** Takes any counter from the next packet, and forgets a section that has begun. */
  reset(): void {
    this.#sections.reset()
    this.counter = undefined
  }
}
