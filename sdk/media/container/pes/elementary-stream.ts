import type { TrackInit } from '../../track.ts'
import type { UnitSink } from '../../unit-sink.ts'

/** The properties of a track that the tables state; it has no layer as the main one of its kind. */
export type TrackTerms = Pick<TrackInit, 'language' | 'layer'>

/** Turns the data of PES packets into units of one track. */
export interface ElementaryStream {
  /**
   * Takes the data of a packet over. Times are of 90 kHz, modulo 2^33, and undefined when the packet has none.
   * @throws {MalformedError} when the data, or the rest of earlier data, makes no unit.
   */
  write(data: Buffer, pts: number | undefined, dts: number | undefined): void
  /** Called when the next packet does not go on from the last. */
  interrupt(): void
  /** Reports to the sink that a unit was lost before the next one. */
  lost(): void
  /** Removes the track, if it was declared. */
  end(): void
}

/** The options of a stream, for the declaration of its track. */
export type ElementaryStreamOptions = {
  readonly sink: UnitSink
  /** The properties of the track besides its kind, codec and configuration. */
  readonly terms: TrackTerms
  /** Called when data is lost: it came before the configuration, or makes no unit. */
  readonly onDrop: () => void
  /** Called when a track of media has been declared. */
  readonly onTrack: () => void
}
