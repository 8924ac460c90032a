import { readPlaylistLines, type Tag } from './playlist-lines.ts'

/** A part as a playlist lists it. */
export type ListedPart = {
  readonly line: number
  readonly uri: string
  readonly durationSeconds: number
  readonly independent: boolean
}

/** A segment as a playlist lists it. */
export type ListedSegment = {
  /** Of its URI, or of its last part. */
  readonly line: number
  readonly sequence: number
  /** Absent while it is still being made. */
  readonly uri: string | undefined
  /** NaN without EXTINF. */
  readonly durationSeconds: number
  readonly discontinuity: boolean
  /** There is no file, as there is no media. */
  readonly gap: boolean
  /** The init segment that is in force. */
  readonly initUri: string | undefined
  readonly programDateTimeMs: number | undefined
  readonly parts: readonly ListedPart[]
}

/** A media playlist as it was read. Numbers that are missing or broken are NaN. */
export type ListedMedia = {
  readonly text: string
  readonly tags: readonly Tag[]
  readonly targetDurationSeconds: number
  readonly mediaSequence: number
  readonly discontinuitySequence: number
  readonly partTargetSeconds: number | undefined
  readonly canSkipUntilSeconds: number | undefined
  /** Left out by EXT-X-SKIP. */
  readonly skippedSegments: number
  /** Those that have a URI. */
  readonly segments: readonly ListedSegment[]
  /** The one still being made. */
  readonly open: ListedSegment | undefined
  readonly ended: boolean
}

/** The first tag of that name. */
export const tagNamed = ({ tags }: ListedMedia, name: string) => tags.find((tag) => tag.name === name)

/** With the one still being made. */
export const allSegments = ({ segments, open }: ListedMedia) => (open ? [...segments, open] : segments)

type Pending = { -readonly [Key in keyof ListedSegment]?: ListedSegment[Key] } & { parts: ListedPart[] }

/** Reads a media playlist, however broken it is. */
export function readMediaPlaylist(text: string): ListedMedia {
  const lines = readPlaylistLines(text)
  const tags = lines.flatMap(({ tag }) => tag ?? [])
  const first = (name: string) => tags.find((tag) => tag.name === name)
  const attribute = (name: string, key: string) => {
    const value = first(name)?.attributes.get(key)
    return value === undefined ? undefined : Number(value)
  }
  const mediaSequence = Number(first('EXT-X-MEDIA-SEQUENCE')?.value ?? 0)
  const skippedSegments = attribute('EXT-X-SKIP', 'SKIPPED-SEGMENTS') ?? 0
  return {
    text,
    tags,
    targetDurationSeconds: Number(first('EXT-X-TARGETDURATION')?.value ?? Number.NaN),
    mediaSequence,
    discontinuitySequence: Number(first('EXT-X-DISCONTINUITY-SEQUENCE')?.value ?? 0),
    partTargetSeconds: attribute('EXT-X-PART-INF', 'PART-TARGET'),
    canSkipUntilSeconds: attribute('EXT-X-SERVER-CONTROL', 'CAN-SKIP-UNTIL'),
    skippedSegments,
    ...readSegments(lines, mediaSequence + skippedSegments),
    ended: first('EXT-X-ENDLIST') !== undefined,
  }
}

function readSegments(lines: ReturnType<typeof readPlaylistLines>, firstSequence: number) {
  const segments: ListedSegment[] = []
  let initUri: string | undefined
  let pending: Pending = { parts: [] }
  const take = (line: number, uri: string | undefined): ListedSegment => {
    const { durationSeconds = Number.NaN, discontinuity = false, gap = false, programDateTimeMs, parts } = pending
    const sequence = firstSequence + segments.length
    pending = { parts: [] }
    return { line, sequence, uri, durationSeconds, discontinuity, gap, initUri, programDateTimeMs, parts }
  }
  for (const { line, tag, uri } of lines) {
    if (tag?.name === 'EXT-X-MAP') initUri = tag.attributes.get('URI')
    else if (tag) readSegmentTag(tag, pending)
    else segments.push(take(line, uri))
  }
  const lastPart = pending.parts.at(-1)
  return { segments, open: lastPart ? take(lastPart.line, undefined) : undefined }
}

function readSegmentTag({ line, name, value, attributes }: Tag, pending: Pending): void {
  if (name === 'EXTINF') pending.durationSeconds = Number.parseFloat(value)
  else if (name === 'EXT-X-DISCONTINUITY') pending.discontinuity = true
  else if (name === 'EXT-X-GAP') pending.gap = true
  else if (name === 'EXT-X-PROGRAM-DATE-TIME') pending.programDateTimeMs = Date.parse(value)
  else if (name === 'EXT-X-PART') {
    pending.parts.push({
      line,
      uri: attributes.get('URI') ?? '',
      durationSeconds: Number(attributes.get('DURATION') ?? Number.NaN),
      independent: attributes.get('INDEPENDENT') === 'YES',
    })
  }
}
