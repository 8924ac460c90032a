import type { Track } from 'sluice/sdk'
import { freeLayer, MalformedError } from 'sluice/sdk/media'
import type { BlockReader } from './block-reader.ts'
import { MAX_SAMPLE_SIZE_BYTES, type SampleLane } from './sample-lane.ts'

/**
 * The track of a lane, by the description in the file and, for codecs with self-describing frames, by its first sample; undefined when it
 * has no readable one.
 */
export async function declareTrack(
  { file: { trackId, format, timescale, language }, current }: SampleLane,
  lanes: readonly SampleLane[],
  blocks: BlockReader,
): Promise<Track | undefined> {
  if (format === undefined || current === undefined) return undefined
  if (current.offset + current.sizeBytes > blocks.sizeBytes) return undefined
  const others = lanes.flatMap(({ track }) => (track?.kind === format.kind ? [track.layer] : []))
  const layer = freeLayer(others)
  const terms = { timescale, ...(language !== undefined && { language }), ...(layer !== undefined && { layer }) }
  const id = lanes.findIndex(({ file }) => file.trackId === trackId)
  if (format.kind === 'video') return { kind: 'video', codec: format.codec, config: format.config, id, ...terms }
  if (current.sizeBytes > MAX_SAMPLE_SIZE_BYTES) return undefined
  const frame = await blocks.read(current.offset, current.sizeBytes)
  try {
    return { kind: 'audio', codec: format.codec, config: format.configure(frame), id, ...terms }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return undefined
  }
}
