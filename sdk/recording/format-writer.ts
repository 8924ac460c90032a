import type { MuxerFormat } from '../media/muxer.ts'
import type { MediaTrack } from '../media/track.ts'
import type { RecordingWriter } from './record-service.ts'

/** Writes a file in a format that viewers get live, and that needs nothing at its end. */
export function createFormatWriter(format: MuxerFormat, tracks: readonly MediaTrack[]): RecordingWriter {
  const muxer = format.createMuxer()
  return {
    head: muxer.start({ tracks, metadata: {} }),
    write: (unit) => muxer.mux(unit),
    flush: () => null,
  }
}
