import type { MuxerFormat } from '../media/muxer.ts'
import type { MediaTrack } from '../media/track.ts'
import type { RecordingWriter } from './record-service.ts'

/** Creates a writer of files in a live format, which needs no bytes at the end of a file. */
export function createFormatWriter(format: MuxerFormat, tracks: readonly MediaTrack[]): RecordingWriter {
  const muxer = format.createMuxer()
  return {
    head: muxer.start({ tracks, metadata: {} }),
    write: (unit) => muxer.mux(unit),
    flush: () => null,
  }
}
