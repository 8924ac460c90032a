import type { AccessUnit, RecordingBytes, Track, TrackInit, UnitSink } from 'sluice/sdk'
import { TsDemuxer } from 'sluice/sdk/media'

/** The size of one read. */
const BLOCK_SIZE_BYTES = 128 * 1024

/** Reads the units of an MPEG-TS from any place on, with their original counters. */
export class TsUnits implements UnitSink {
  /** The tracks that were found, each in its first configuration. */
  readonly tracks: Track[] = []
  readonly #bytes: RecordingBytes
  readonly #demuxer = new TsDemuxer(this)
  #offset = 0
  #units: AccessUnit[] = []
  #next = 0
  #isOver = false

  constructor(bytes: RecordingBytes) {
    this.#bytes = bytes
  }

  /** The number of malformed units. */
  get dropped(): number {
    return this.#demuxer.dropped
  }

  /** The streams that can't be carried. */
  get unsupported(): readonly string[] {
    return [...this.#demuxer.unsupported]
  }

  /** True when each stream of the program has declared its track. */
  get hasAllTracks(): boolean {
    return this.#demuxer.streamCount > 0 && this.tracks.length >= this.#demuxer.streamCount
  }

  /** Moves to a place, which need not be the beginning of a packet. */
  moveTo(offset: number): void {
    this.#offset = offset
    this.#isOver = false
    this.#units = []
    this.#next = 0
    this.#demuxer.restart()
  }

  /** The offset of the next read. */
  get offset(): number {
    return this.#offset
  }

  /** The next unit that has been read already; undefined when there is none. */
  take(): AccessUnit | undefined {
    const unit = this.#units[this.#next]
    if (unit !== undefined) this.#next++
    return unit
  }

  /**
   * Reads on, after {@link TsUnits.take} gave nothing; false at the end.
   * @throws {MalformedError} when the bytes are not MPEG-TS
   */
  async fill(): Promise<boolean> {
    this.#units = []
    this.#next = 0
    while (this.#units.length === 0 && !this.#isOver) {
      const block = await this.#bytes.read(this.#offset, BLOCK_SIZE_BYTES)
      this.#offset += block.length
      this.#isOver = block.length === 0
      if (this.#isOver) this.#demuxer.flush()
      else this.#demuxer.push(block)
    }
    return this.#units.length > 0
  }

  addTrack(init: TrackInit): Track {
    const track: Track = { ...init, id: this.tracks.length }
    this.tracks.push(track)
    return track
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    return { ...track, config }
  }

  removeTrack(): void {}

  write(unit: AccessUnit): void {
    this.#units.push(unit)
  }

  lost(): void {}
}
