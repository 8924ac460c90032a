import type { UnitSink } from '../../unit-sink.ts'

/** Turns the data of PES packets into units of one track. */
export interface ElementaryStream {
  /**
   * Takes the data of a packet over. Times are of 90 kHz, modulo 2^33, and undefined when the packet has none.
   * @throws {MalformedError} when nothing can be made of it, or of what is left of it.
   */
  write(data: Buffer, pts: number | undefined, dts: number | undefined): void
  /** Bytes are lost: what the next packet begins with does not go on from the last. */
  interrupt(): void
  /** Removes the track, if it has come to that. */
  end(): void
}

/** What a stream needs to declare its track. */
export type ElementaryStreamInit = {
  readonly sink: UnitSink
  /** Absent for the main track of its kind. */
  readonly name: string | undefined
  /** Data is lost: it came before the configuration, or makes no unit. */
  readonly onDrop: () => void
}
