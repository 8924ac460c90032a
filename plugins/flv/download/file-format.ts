import type { Muxer, MuxerFormat } from 'sluice/sdk'
import { FLV_FORMAT } from 'sluice/sdk/media'
import { serializeFlvHead } from '../record/flv-head.ts'

/** FLV with the duration of a whole file in its metadata. */
export function flvFileFormat(durationMs: number): MuxerFormat {
  return { ...FLV_FORMAT, createMuxer: () => new FlvFileMuxer(durationMs / 1000) }
}

class FlvFileMuxer implements Muxer {
  readonly #muxer = FLV_FORMAT.createMuxer()
  readonly #durationSeconds: number
  readonly configure = this.#muxer.configure.bind(this.#muxer)
  readonly mux = this.#muxer.mux.bind(this.#muxer)

  constructor(durationSeconds: number) {
    this.#durationSeconds = durationSeconds
  }

  start(start: Parameters<Muxer['start']>[0]): Buffer {
    this.#muxer.start(start)
    return serializeFlvHead(this.#muxer, start.tracks, { duration: this.#durationSeconds })
  }
}
