import { checkedUri, decimal, integer } from './attribute.ts'

/** A media playlist of HTTP Live Streaming at one moment (draft-pantos-hls-rfc8216bis). URIs are as the server names its files. */
export type MediaPlaylist = {
  /** EXT-X-VERSION. */
  readonly version: number
  /** EXT-X-TARGETDURATION, an integer. */
  readonly targetDurationSeconds: number
  /** The number of the oldest segment, one that EXT-X-SKIP leaves out included. */
  readonly mediaSequence: number
  readonly discontinuitySequence: number
  readonly independentSegments: boolean
  /** EXT-X-PART-INF; set if any segment has parts. */
  readonly partTargetSeconds?: number
  readonly serverControl?: ServerControl
  /** EXT-X-SKIP: this many segments at the start are left out of `segments`, and the playlist is a delta update. */
  readonly skippedSegments?: number
  readonly segments: readonly MediaSegment[]
  /** EXT-X-PRELOAD-HINT: the resource that the server will make next. */
  readonly preloadHint?: { readonly type: 'PART' | 'MAP'; readonly uri: string }
  readonly renditionReports?: readonly RenditionReport[]
  /** EXT-X-PLAYLIST-TYPE: VOD can't change. */
  readonly playlistType?: 'VOD'
  /** EXT-X-ENDLIST: no segment will follow. */
  readonly ended: boolean
}

/** EXT-X-SERVER-CONTROL. */
export type ServerControl = {
  readonly canBlockReload: boolean
  readonly partHoldBackSeconds?: number
  readonly holdBackSeconds?: number
  readonly canSkipUntilSeconds?: number
}

/** A media segment with the tags that apply to it. */
export type MediaSegment = {
  /** Absent for the segment still being made: only its parts are listed. */
  readonly uri?: string
  /** Not written without `uri`. */
  readonly durationSeconds: number
  /** Wall clock of the first sample, in milliseconds since the Unix epoch. */
  readonly programDateTimeMs?: number
  readonly discontinuity?: boolean
  /** EXT-X-GAP: there is no media of that time, and the segment is not to be loaded. */
  readonly gap?: boolean
  /** EXT-X-BYTERANGE: the part of the resource that it is; all of it unless given. */
  readonly range?: ByteRange
  /** EXT-X-MAP, written when it differs from that of the segment before. */
  readonly initUri?: string
  /** BYTERANGE of EXT-X-MAP. */
  readonly initRange?: ByteRange
  readonly parts?: readonly PartialSegment[]
}

/** A part of a resource. */
export type ByteRange = { readonly offset: number; readonly sizeBytes: number }

/** EXT-X-PART. */
export type PartialSegment = {
  readonly uri: string
  readonly durationSeconds: number
  /** It begins with a keyframe. */
  readonly independent: boolean
}

/** EXT-X-RENDITION-REPORT: how far another rendition is. */
export type RenditionReport = { readonly uri: string; readonly lastMsn: number; readonly lastPart?: number }

/** Returns the text that replaces a bare URI, for example with the viewer's query. */
export type Addressing = (uri: string) => string

const asItIs: Addressing = (uri) => uri

/**
 * A comment. hls.js 1.7 takes a last segment that no line follows for one that is still being made, and fails when the
 * next one begins with a discontinuity.
 */
const CONTINUATION = '# to be continued\n'

/**
 * The text of a media playlist. `address` is called for each URI.
 * @throws RangeError if a value can't be written as it is: a URI or text that would break its line or its quotes, a
 * number that isn't one.
 */
export function serializeMediaPlaylist(playlist: MediaPlaylist, address: Addressing = asItIs): string {
  let text = ''
  for (const piece of mediaPlaylistPieces(playlist, address)) text += piece
  return text
}

/** The text of a media playlist, as {@link serializeMediaPlaylist} makes it, piece by piece: each segment is one. */
export function* mediaPlaylistPieces(playlist: MediaPlaylist, address: Addressing = asItIs): Generator<string> {
  yield header(playlist)
  let initUri: string | undefined
  for (const segment of playlist.segments) {
    yield segmentLines(segment, initUri, address)
    initUri = segment.initUri
  }
  const { preloadHint: hint } = playlist
  if (hint) yield `#EXT-X-PRELOAD-HINT:TYPE=${hint.type},URI="${checkedUri(address(hint.uri))}"\n`
  for (const report of playlist.renditionReports ?? []) yield reportLine(report, address)
  if (playlist.ended) yield '#EXT-X-ENDLIST\n'
  else if (needsContinuation(playlist)) yield CONTINUATION
}

function needsContinuation({
  partTargetSeconds,
  segments,
  preloadHint,
  renditionReports = [],
}: MediaPlaylist): boolean {
  const endsWithSegment = preloadHint === undefined && renditionReports.length === 0
  return partTargetSeconds !== undefined && endsWithSegment && segments.at(-1)?.uri !== undefined
}

function header(playlist: MediaPlaylist): string {
  const { serverControl, partTargetSeconds, skippedSegments, playlistType } = playlist
  let text =
    `#EXTM3U\n#EXT-X-VERSION:${integer(playlist.version)}\n` +
    `#EXT-X-TARGETDURATION:${integer(playlist.targetDurationSeconds)}\n`
  if (playlistType !== undefined) text += `#EXT-X-PLAYLIST-TYPE:${playlistType}\n`
  if (playlist.independentSegments) text += '#EXT-X-INDEPENDENT-SEGMENTS\n'
  if (serverControl) text += serverControlLine(serverControl)
  if (partTargetSeconds !== undefined) text += `#EXT-X-PART-INF:PART-TARGET=${decimal(partTargetSeconds)}\n`
  text +=
    `#EXT-X-MEDIA-SEQUENCE:${integer(playlist.mediaSequence)}\n` +
    `#EXT-X-DISCONTINUITY-SEQUENCE:${integer(playlist.discontinuitySequence)}\n`
  return skippedSegments === undefined ? text : `${text}#EXT-X-SKIP:SKIPPED-SEGMENTS=${integer(skippedSegments)}\n`
}

function serverControlLine(control: ServerControl): string {
  const { partHoldBackSeconds, holdBackSeconds, canSkipUntilSeconds } = control
  const attributes: string[] = []
  if (control.canBlockReload) attributes.push('CAN-BLOCK-RELOAD=YES')
  if (canSkipUntilSeconds !== undefined) attributes.push(`CAN-SKIP-UNTIL=${decimal(canSkipUntilSeconds)}`)
  if (holdBackSeconds !== undefined) attributes.push(`HOLD-BACK=${decimal(holdBackSeconds)}`)
  if (partHoldBackSeconds !== undefined) attributes.push(`PART-HOLD-BACK=${decimal(partHoldBackSeconds)}`)
  return attributes.length > 0 ? `#EXT-X-SERVER-CONTROL:${attributes.join(',')}\n` : ''
}

function segmentLines(segment: MediaSegment, initUriBefore: string | undefined, address: Addressing): string {
  const { uri, initUri, initRange, range, programDateTimeMs } = segment
  let text = segment.discontinuity ? '#EXT-X-DISCONTINUITY\n' : ''
  if (initUri !== undefined && initUri !== initUriBefore) {
    const part = initRange === undefined ? '' : `,BYTERANGE="${rangeText(initRange)}"`
    text += `#EXT-X-MAP:URI="${checkedUri(address(initUri))}"${part}\n`
  }
  if (programDateTimeMs !== undefined) {
    text += `#EXT-X-PROGRAM-DATE-TIME:${new Date(programDateTimeMs).toISOString()}\n`
  }
  for (const part of segment.parts ?? []) text += partLine(part, address)
  if (uri === undefined) return text
  if (segment.gap) text += '#EXT-X-GAP\n'
  text += `#EXTINF:${decimal(segment.durationSeconds)},\n`
  if (range !== undefined) text += `#EXT-X-BYTERANGE:${rangeText(range)}\n`
  return `${text}${checkedUri(address(uri))}\n`
}

function rangeText({ offset, sizeBytes }: ByteRange): string {
  return `${integer(sizeBytes)}@${integer(offset)}`
}

function partLine(part: PartialSegment, address: Addressing): string {
  const independent = part.independent ? ',INDEPENDENT=YES' : ''
  return `#EXT-X-PART:DURATION=${decimal(part.durationSeconds)},URI="${checkedUri(address(part.uri))}"${independent}\n`
}

function reportLine({ uri, lastMsn, lastPart }: RenditionReport, address: Addressing): string {
  const part = lastPart === undefined ? '' : `,LAST-PART=${integer(lastPart)}`
  return `#EXT-X-RENDITION-REPORT:URI="${checkedUri(address(uri))}",LAST-MSN=${integer(lastMsn)}${part}\n`
}
