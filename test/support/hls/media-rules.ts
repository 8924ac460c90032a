import { allSegments, readMediaPlaylist, tagNamed, type ListedMedia } from './listed-media.ts'
import { LOW_LATENCY_RULES, type MediaPlaylistKind } from './low-latency-rules.ts'
import { checkLines, type Tag, type Violation } from './playlist-lines.ts'

const ONCE = new Set([
  'EXTM3U',
  'EXT-X-VERSION',
  'EXT-X-TARGETDURATION',
  'EXT-X-PLAYLIST-TYPE',
  'EXT-X-INDEPENDENT-SEGMENTS',
  'EXT-X-SERVER-CONTROL',
  'EXT-X-PART-INF',
  'EXT-X-MEDIA-SEQUENCE',
  'EXT-X-DISCONTINUITY-SEQUENCE',
  'EXT-X-SKIP',
  'EXT-X-ENDLIST',
])
const OF_SEGMENTS = new Set([
  'EXTINF',
  'EXT-X-DISCONTINUITY',
  'EXT-X-GAP',
  'EXT-X-MAP',
  'EXT-X-PROGRAM-DATE-TIME',
  'EXT-X-BYTERANGE',
  'EXT-X-PART',
])
const AFTER_SEGMENTS = new Set(['EXT-X-ENDLIST', 'EXT-X-PRELOAD-HINT', 'EXT-X-RENDITION-REPORT'])
const KNOWN = new Set([...ONCE, ...OF_SEGMENTS, ...AFTER_SEGMENTS])

/** What rounding times to milliseconds may lose. */
const DATE_TOLERANCE_MS = 5

/**
 * Which rules of RFC 8216bis and of Apple's HLS authoring specification one media playlist breaks, as far as its text
 * tells; empty if none. {@link PlaylistHistory} has those on how it changes.
 */
export function validateMediaPlaylist(text: string, kind: MediaPlaylistKind): Violation[] {
  const playlist = readMediaPlaylist(text)
  const rules = [checkHeader, checkVersion, checkSegments, checkMap, checkDates, ...LOW_LATENCY_RULES]
  const violations = rules.flatMap((rule) => [...rule(playlist, kind)])
  return [...checkLines(text, KNOWN), ...violations].toSorted((one, other) => one.line - other.line)
}

function* checkHeader({ tags, targetDurationSeconds }: ListedMedia): Generator<Violation> {
  const names = tags.map(({ name }) => name)
  const beforeSegments = tags.findIndex(({ name }) => OF_SEGMENTS.has(name))
  for (const [index, { name, line }] of tags.entries()) {
    if (!ONCE.has(name)) continue
    if (names.indexOf(name) < index) yield { rule: 'repeated-tag', line, detail: name }
    if (beforeSegments >= 0 && index > beforeSegments && !AFTER_SEGMENTS.has(name)) {
      yield { rule: 'late-tag', line, detail: `${name} after the first segment` }
    }
  }
  if (!Number.isInteger(targetDurationSeconds) || targetDurationSeconds < 1) {
    yield { rule: 'target-duration', line: 1, detail: String(targetDurationSeconds) }
  }
  if (!names.includes('EXT-X-MEDIA-SEQUENCE')) yield { rule: 'media-sequence', line: 1, detail: 'missing' }
  if (!names.includes('EXT-X-INDEPENDENT-SEGMENTS')) yield { rule: 'independent-segments', line: 1, detail: 'missing' }
}

/** The version that a tag needs (RFC 8216bis 8). */
function versionOf({ name, value }: Tag): number {
  if (name === 'EXT-X-SKIP') return 9
  if (name === 'EXT-X-GAP') return 8
  if (name === 'EXT-X-MAP') return 6
  if (name === 'EXT-X-BYTERANGE') return 4
  return name === 'EXTINF' && value.includes('.') ? 3 : 1
}

function* checkVersion({ tags }: ListedMedia): Generator<Violation> {
  const version = tags.find(({ name }) => name === 'EXT-X-VERSION')
  const declared = Number(version?.value ?? 1)
  const needy = tags.find((tag) => !(versionOf(tag) <= declared))
  if (needy)
    yield { rule: 'version', line: version?.line ?? 1, detail: `${declared}, but line ${needy.line} needs more` }
}

function* checkSegments({ segments, targetDurationSeconds, tags }: ListedMedia): Generator<Violation> {
  const uris = new Set<string>()
  for (const { line, uri = '', durationSeconds, gap, parts } of segments) {
    if (gap && parts.length > 0) yield { rule: 'gap', line, detail: 'parts that are not marked as missing' }
    if (!(durationSeconds > 0)) yield { rule: 'extinf', line, detail: `a duration of ${durationSeconds}` }
    if (Math.round(durationSeconds) > targetDurationSeconds) {
      yield { rule: 'segment-duration', line, detail: `${durationSeconds} of at most ${targetDurationSeconds}` }
    }
    for (const name of [uri, ...parts.map((part) => part.uri)]) {
      if (uris.has(name)) yield { rule: 'repeated-uri', line, detail: name }
      uris.add(name)
    }
  }
  const last = segments.at(-1)
  for (const { name, line } of tags) {
    if (name === 'EXTINF' && line > (last?.line ?? 0)) yield { rule: 'extinf', line, detail: 'without a URI' }
  }
}

function* checkMap(playlist: ListedMedia, { format }: MediaPlaylistKind): Generator<Violation> {
  if (format === 'ts' || playlist.skippedSegments > 0) return
  const segment = allSegments(playlist).find(({ initUri }) => initUri === undefined)
  if (segment) yield { rule: 'map', line: segment.line, detail: 'fMP4 without EXT-X-MAP' }
}

function* checkDates(playlist: ListedMedia): Generator<Violation> {
  const { segments } = playlist
  if (segments.length > 0 && !tagNamed(playlist, 'EXT-X-PROGRAM-DATE-TIME')) {
    yield { rule: 'program-date-time', line: 1, detail: 'missing' }
  }
  let expectedMs: number | undefined
  for (const { line, programDateTimeMs, durationSeconds, discontinuity } of allSegments(playlist)) {
    if (discontinuity) expectedMs = undefined
    if (programDateTimeMs !== undefined) {
      const offMs = Math.abs(programDateTimeMs - (expectedMs ?? programDateTimeMs))
      if (!(offMs <= DATE_TOLERANCE_MS)) yield { rule: 'program-date-time', line, detail: `${offMs} ms off` }
      expectedMs = programDateTimeMs
    }
    if (expectedMs !== undefined) expectedMs += durationSeconds * 1000
  }
}
