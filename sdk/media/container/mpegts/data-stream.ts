import { AccessUnit } from '../../access-unit.ts'
import { MalformedError } from '../../errors.ts'
import type { Track } from '../../track.ts'
import { PES_TIMESCALE } from '../pes/clock.ts'
import { TS_SYNCHRONOUS_KLV, type TsDataCodec } from './data-entry.ts'
import type { DataPlacement, PlacedData } from './data-placement.ts'
import type { ElementaryStream, ElementaryStreamOptions } from '../pes/elementary-stream.ts'
import { parseMetadataCells } from './metadata-cell.ts'
import { moveSpliceTimes } from './splice-info-section.ts'

const EMPTY: Buffer = Buffer.alloc(0)
/** The largest unit that one packet can carry again. */
const MAX_UNIT_SIZE_BYTES = 0xffff

export type DataStreamOptions = ElementaryStreamOptions & { readonly placement: DataPlacement }

/** Makes the unit of bytes that are placed at a time. */
type DataAt = (data: Buffer, ticks: number) => Buffer

const AS_IT_IS: DataAt = (data) => data

/** The track of a stream of data. */
class DataTrackWriter implements PlacedData {
  readonly #codec: TsDataCodec
  readonly #record: Buffer
  readonly #options: DataStreamOptions
  readonly #dataAt: DataAt
  #track: Track | undefined

  constructor(codec: TsDataCodec, options: DataStreamOptions, record = EMPTY, dataAt = AS_IT_IS) {
    this.#codec = codec
    this.#record = record
    this.#options = options
    this.#dataAt = dataAt
    options.placement.add(this)
  }

  declare(): void {
    const { sink, terms } = this.#options
    const config = { record: this.#record, codecString: '' }
    this.#track = sink.addTrack({ kind: 'data', codec: this.#codec, timescale: PES_TIMESCALE, config, ...terms })
  }

  write(data: Buffer, ticks: number): void {
    if (this.#track === undefined) return
    this.#options.sink.write(AccessUnit.fromData(this.#track, ticks, ticks, true, this.#dataAt(data, ticks)))
  }

  place(data: Buffer, ticks: number | undefined): void {
    this.#options.placement.write(this, data, ticks)
  }

  lost(): void {
    if (this.#track !== undefined) this.#options.sink.lost(this.#track, 1)
  }

  end(): void {
    this.#options.placement.remove(this)
    if (this.#track !== undefined) this.#options.sink.removeTrack(this.#track)
  }
}

/** A stream of asynchronous KLV, of which each PES packet holds a unit. Most packets state no time. */
export class KlvStream implements ElementaryStream {
  readonly #track: DataTrackWriter

  constructor(options: DataStreamOptions) {
    this.#track = new DataTrackWriter('klv', options)
  }

  write(data: Buffer, pts: number | undefined): void {
    if (data.length > 0) this.#track.place(data, pts)
  }

  interrupt(): void {}

  lost(): void {
    this.#track.lost()
  }

  end(): void {
    this.#track.end()
  }
}

/** A stream of synchronous KLV: units in one or several cells. */
export class SynchronousKlvStream implements ElementaryStream {
  readonly #options: DataStreamOptions
  readonly #track: DataTrackWriter
  /** The parts of a unit that has begun. */
  #parts: Buffer[] = []
  #sizeBytes = 0
  #ticks: number | undefined

  constructor(options: DataStreamOptions) {
    this.#options = options
    this.#track = new DataTrackWriter('klv', options, TS_SYNCHRONOUS_KLV)
  }

  write(packet: Buffer, pts: number | undefined): void {
    for (const { isFirst, isLast, data } of parseMetadataCells(packet)) {
      if (isFirst) {
        this.interrupt()
        this.#ticks = pts
      } else if (this.#parts.length === 0) {
        this.#options.onDrop()
        continue
      }
      this.#append(data)
      if (isLast) this.#finish()
    }
  }

  interrupt(): void {
    if (this.#parts.length > 0) this.#options.onDrop()
    this.#forget()
  }

  lost(): void {
    this.#track.lost()
  }

  end(): void {
    this.#track.end()
  }

  #append(data: Buffer): void {
    this.#sizeBytes += data.length
    if (this.#sizeBytes > MAX_UNIT_SIZE_BYTES) {
      this.#forget()
      throw new MalformedError(`unit of metadata of more than ${MAX_UNIT_SIZE_BYTES} bytes`)
    }
    this.#parts.push(data)
  }

  #finish(): void {
    const [first = EMPTY, ...others] = this.#parts
    const data = others.length === 0 ? first : Buffer.concat(this.#parts)
    this.#forget()
    if (data.length > 0) this.#track.place(data, this.#ticks)
  }

  #forget(): void {
    this.#parts = []
    this.#sizeBytes = 0
  }
}

/** A stream of splice information sections, each of which is a unit. */
export class SpliceInfoStream implements ElementaryStream {
  readonly #track: DataTrackWriter

  constructor(options: DataStreamOptions) {
    this.#track = new DataTrackWriter('scte35', options, EMPTY, (section, ticks) => moveSpliceTimes(section, -ticks))
  }

  /** Takes a section, which is borrowed. */
  write(section: Buffer): void {
    this.#track.place(moveSpliceTimes(section, 0), undefined)
  }

  interrupt(): void {}

  lost(): void {
    this.#track.lost()
  }

  end(): void {
    this.#track.end()
  }
}
