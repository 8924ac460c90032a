import type { Track } from '../../track.ts'
import { parseBoxHead, parseBoxes } from './box.ts'
import { parseMovie } from './init-segment.ts'

/** The `content-type` of fMP4 with these tracks, with their codecs (RFC 6381); players take it as it is. */
export function fmp4ContentType(tracks: readonly Track[]): string {
  return contentType(tracks.map(({ kind, config }) => ({ kind, codecString: config.codecString })))
}

/**
 * The `content-type` that goes with bytes which begin with an init segment, as {@link createInitSegment} makes them;
 * undefined for others.
 * @throws {MalformedError} when the init segment is broken.
 */
export function initSegmentContentType(bytes: Buffer): string | undefined {
  const fileType = parseBoxHead(bytes)
  if (fileType?.type !== 'ftyp') return undefined
  const movie = parseBoxHead(bytes, fileType.sizeBytes)
  if (movie?.type !== 'moov') return undefined
  const [, box] = parseBoxes(bytes.subarray(0, fileType.sizeBytes + movie.sizeBytes))
  const formats = box ? parseMovie(box.body).map(({ format }) => format) : []
  return contentType(formats.filter((format) => format !== undefined))
}

function contentType(formats: readonly { readonly kind: Track['kind']; readonly codecString: string }[]): string {
  const kind = formats.some((format) => format.kind === 'video') ? 'video' : 'audio'
  return `${kind}/mp4; codecs="${formats.map(({ codecString }) => codecString).join(',')}"`
}
