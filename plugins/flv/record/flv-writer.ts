import type { AccessUnit, MediaTrack, Muxer, RecordingBytes, RecordingEnd, RecordingWriter } from 'sluice/sdk'
import { FLV_FORMAT } from 'sluice/sdk/media'
import { serializeFlvHead } from './flv-head.ts'

/** The metadata of the whole file, which is known at its end: the duration in seconds, and the size in bytes. */
const WHOLE = { duration: 0, filesize: 0 }
/** The sizes before the number of a field: the length of its name in two bytes, the name, the type of the value. */
const LENGTH_SIZE_BYTES = 2
const TYPE_SIZE_BYTES = 1
const DOUBLE_SIZE_BYTES = 8

/** Writes an FLV of the main tracks, with its duration in the metadata once it has ended. */
export class FlvWriter implements RecordingWriter {
  readonly head: Buffer
  readonly #muxer: Muxer = FLV_FORMAT.createMuxer()
  readonly #beginning: Buffer
  #sizeBytes: number
  #endMs = 0
  #stepMs = 0

  /** @param formerBytes the bytes that are kept of a file to be continued, which begins with these tracks */
  constructor(tracks: readonly MediaTrack[], formerBytes?: number) {
    this.#muxer.start({ tracks, metadata: {} })
    this.#beginning = serializeFlvHead(this.#muxer, tracks, WHOLE)
    this.head = formerBytes === undefined ? this.#beginning : Buffer.alloc(0)
    this.#sizeBytes = formerBytes ?? this.#beginning.length
  }

  /** Returns true when a file begins like this one, apart from its duration and size. */
  async isBeginningOf(bytes: RecordingBytes): Promise<boolean> {
    const found = Buffer.from(await bytes.read(0, this.#beginning.length))
    for (const name of ['duration', 'filesize'] as const)
      found.fill(0, this.#offsetOf(name), this.#offsetOf(name) + DOUBLE_SIZE_BYTES)
    return found.equals(this.#beginning)
  }

  write(unit: AccessUnit): Buffer | null {
    const tag = this.#muxer.mux(unit)
    this.#sizeBytes += tag?.length ?? 0
    const atMs = unit.dtsMs
    if (atMs > this.#endMs) {
      this.#stepMs = atMs - this.#endMs
      this.#endMs = atMs
    }
    return tag
  }

  flush(): null {
    return null
  }

  finish(): RecordingEnd {
    const duration = (this.#endMs + this.#stepMs) / 1000
    return { patches: [this.#patch('duration', duration), this.#patch('filesize', this.#sizeBytes)] }
  }

  #patch(name: keyof typeof WHOLE, value: number) {
    const data = Buffer.alloc(DOUBLE_SIZE_BYTES)
    data.writeDoubleBE(value)
    return { offset: this.#offsetOf(name), data }
  }

  /** The offset of a field's number. */
  #offsetOf(name: keyof typeof WHOLE): number {
    const length = Buffer.alloc(LENGTH_SIZE_BYTES)
    length.writeUInt16BE(name.length)
    const field = Buffer.concat([length, Buffer.from(name)])
    return this.#beginning.indexOf(field) + field.length + TYPE_SIZE_BYTES
  }
}
