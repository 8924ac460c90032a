import { FLV_TAG_TYPE, FlvReader, type FlvTag } from 'sluice/sdk/media'
import { parseMarker, type Marker } from './marker.ts'

/** Byte 1 of an H.264 or AAC tag says whether it is a sequence header or media. */
const SEQUENCE_HEADER = 0
/** Frame type, codec, packet type and composition time of an H.264 tag (FLV 10.1 E.4.3). */
export const VIDEO_HEADER_SIZE_BYTES = 5

/** A recorded stream of H.264 and AAC, to be published over and over. */
export type Tape = {
  /** What sets the decoders up. */
  readonly headers: readonly FlvTag[]
  /** Media in the order of its times, which begin at 0. */
  readonly tags: readonly FlvTag[]
  /** When the next pass begins. */
  readonly durationMs: number
}

/** @throws {Error} when the file is not an FLV with one H.264 and one AAC track that begins with a keyframe */
export function parseTape(file: Buffer): Tape {
  const media = new FlvReader().push(file).filter(({ type }) => type !== FLV_TAG_TYPE.script)
  const headers = media.filter((tag) => tag.body[1] === SEQUENCE_HEADER)
  const tags = media.filter((tag) => tag.body[1] !== SEQUENCE_HEADER && (!isVideo(tag) || tag.body[1] === 1))
  const frames = tags.filter(isVideo)
  const [first] = frames
  const last = frames.at(-1)
  if (headers.length !== 2 || first === undefined || last === undefined || !isKeyframe(first.body)) {
    throw new Error('the file has not one track each of H.264 and AAC, or does not begin with a keyframe')
  }
  const frameMs = (last.timestampMs - first.timestampMs) / (frames.length - 1)
  const durationMs = Math.round(last.timestampMs + frameMs)
  return { headers, tags: tags.filter((tag) => tag.timestampMs < durationMs), durationMs }
}

export function isVideo(tag: FlvTag): boolean {
  return tag.type === FLV_TAG_TYPE.video
}

/** Whether the body of a video tag is an H.264 keyframe, and not its sequence header. */
function isKeyframe(body: Buffer): boolean {
  return body[0] === 0x17 && body[1] === 1
}

/** What the body of a video tag holds; of a sequence header, neither. */
export function pictureOf(body: Buffer): { readonly keyframe: boolean; readonly marker: Marker | null } {
  return { keyframe: isKeyframe(body), marker: parseMarker(body.subarray(VIDEO_HEADER_SIZE_BYTES)) }
}
