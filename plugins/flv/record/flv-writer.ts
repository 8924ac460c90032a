import type { AccessUnit, MediaTrack, Muxer, RecordingEnd, RecordingWriter } from 'sluice/sdk'
import { FLV_FORMAT } from 'sluice/sdk/media'
import { serializeFlvHead } from './flv-head.ts'

/** What the metadata has of the whole, which is known at the end: seconds, and bytes. */
const WHOLE = { duration: 0, filesize: 0 }
/** Before the number of a field: the length of its name in two bytes, the name, the type of the value. */
const LENGTH_SIZE_BYTES = 2
const TYPE_SIZE_BYTES = 1

/** Writes an FLV of the main tracks, with its duration in the metadata once it has ended. */
export class FlvWriter implements RecordingWriter {
  readonly head: Buffer
  readonly #muxer: Muxer = FLV_FORMAT.createMuxer()
  #sizeBytes: number
  #endMs = 0
  #stepMs = 0

  constructor(tracks: readonly MediaTrack[]) {
    this.#muxer.start({ tracks, metadata: {} })
    this.head = serializeFlvHead(this.#muxer, tracks, WHOLE)
    this.#sizeBytes = this.head.length
  }

  write(unit: AccessUnit): Buffer | null {
    const tag = this.#muxer.mux(unit)
    this.#sizeBytes += tag?.length ?? 0
    const atMs = (unit.dts / unit.track.timescale) * 1000
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
    const length = Buffer.alloc(LENGTH_SIZE_BYTES)
    length.writeUInt16BE(name.length)
    const field = Buffer.concat([length, Buffer.from(name)])
    const data = Buffer.alloc(8)
    data.writeDoubleBE(value)
    return { offset: this.head.indexOf(field) + field.length + TYPE_SIZE_BYTES, data }
  }
}
