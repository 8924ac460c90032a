import type { PresentationTerms } from './presentation-terms.ts'
import { segmentSizeBytes } from './segment.ts'
import type { Part, Segment } from './segment.ts'

/**
 * A file by its name: its bytes, as consecutive buffers that are never changed (a segment consists of its parts), or `coming` for the part
 * that the playlist hints at.
 */
export type PresentationFile =
  | { readonly contentType: string; readonly buffers: readonly Buffer[]; readonly sizeBytes: number }
  | { readonly coming: true }

/** The terms of a window: the number of segments in a playlist, and their target duration. */
export type WindowTerms = Pick<PresentationTerms, 'window' | 'targetDurationSeconds'>

const CONTENT_TYPE = { ts: 'video/mp2t', m4s: 'video/iso.segment', mp4: 'video/mp4' } as const
/** The shortest playlist in target durations that the removal of a segment may leave (RFC 8216 6.2.2). */
const MIN_TARGET_DURATIONS = 3
/** The error of sums of the durations in playlists. */
const ROUNDING_SECONDS = 0.01
const SEGMENT_NAME = /^(\d{1,16})(?:\.(\d{1,6}))?\.(ts|m4s)$/u
const INIT_NAME = /^init(\d{1,9})\.mp4$/u

/**
 * The segments of one rendition by their names, the newest last: those that playlists list, and before them those that were listed. A
 * client may ask for a segment for as long as it lasts and the longest playlist with it (RFC 8216 6.2.2).
 */
export class SegmentWindow {
  readonly #prefix: string
  readonly #extension: 'ts' | 'm4s'
  readonly #terms: WindowTerms
  /** The segments in the order of their sequence numbers, without a hole. */
  readonly #segments: Segment[] = []
  /** The amount of media at which each segment that has left the playlist is removed, from the first segment on. */
  readonly #dueSeconds: number[] = []
  readonly #inits = new Map<string, Buffer>()
  #sizeBytes = 0
  #mediaSeconds = 0
  #longestSeconds = 0

  /** @param prefix the prefix of all file names */
  constructor(prefix: string, extension: 'ts' | 'm4s', terms: WindowTerms) {
    this.#prefix = prefix
    this.#extension = extension
    this.#terms = terms
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The newest segment, which may be in the making. */
  get newest(): Segment | undefined {
    return this.#segments.at(-1)
  }

  /** See `Rendition.lastMsn`. */
  get lastMsn(): number {
    const { newest } = this
    if (newest === undefined) return -1
    if (isShown(newest)) return newest.msn
    return this.find(newest.msn - 1)?.msn ?? -1
  }

  /** See `Rendition.lastPart`. */
  get lastPart(): number {
    const { newest } = this
    return newest && !newest.complete && isShown(newest) ? newest.parts.length - 1 : -1
  }

  /** See `Rendition.has`. */
  has(msn: number, part?: number): boolean {
    const { newest } = this
    if (newest === undefined || msn > newest.msn) return false
    if (msn < newest.msn) {
      const segment = this.find(msn)
      // A part past the last of a segment is the first of the next (rfc8216bis 6.2.5.2).
      const isOfNext = part !== undefined && segment?.divided === true && part >= segment.parts.length
      return isOfNext && msn + 1 === newest.msn ? this.has(msn + 1, 0) : true
    }
    if (newest.complete) return part === undefined || !newest.divided || part < newest.parts.length
    return part !== undefined && newest.divided && part < newest.parts.length
  }

  /** The segments of the playlist: complete ones and the one being made. */
  listed(): Segment[] {
    return this.#segments.slice(this.#dueSeconds.length)
  }

  find(msn: number): Segment | undefined {
    const first = this.#segments[0]
    return first && this.#segments[msn - first.msn]
  }

  /** Adds a segment that is being made; the one before is complete. */
  add(segment: Segment): void {
    this.#segments.push(segment)
  }

  addPart(segment: Segment, part: Part): void {
    segment.parts.push(part)
    this.#sizeBytes += part.data.length
  }

  /** Notes that the newest segment is complete, and removes segments that need not be kept any more. */
  complete({ durationSeconds }: Segment): void {
    this.#mediaSeconds += durationSeconds
    const listed = this.listed()
    let listedSeconds = listed.reduce((sum, segment) => sum + segment.durationSeconds, 0)
    const leastSeconds = this.#terms.targetDurationSeconds * MIN_TARGET_DURATIONS
    let remaining = listed.length
    for (const oldest of listed) {
      const leftSeconds = listedSeconds - oldest.durationSeconds
      if (remaining <= this.#terms.window || leftSeconds < leastSeconds) break
      remaining -= 1
      listedSeconds = leftSeconds
      this.#dueSeconds.push(this.#mediaSeconds + oldest.durationSeconds + this.#longestSeconds)
    }
    this.#longestSeconds = Math.max(this.#longestSeconds, listedSeconds)
    const kept = this.#dueSeconds.findIndex((dueSeconds) => dueSeconds + ROUNDING_SECONDS > this.#mediaSeconds)
    const dropped = kept < 0 ? this.#dueSeconds.length : kept
    if (dropped === 0) return
    this.#dueSeconds.splice(0, dropped)
    for (const segment of this.#segments.splice(0, dropped)) this.#sizeBytes -= segmentSizeBytes(segment)
    this.#dropInits()
  }

  /** Keeps an init segment for as long as segments that need it. @returns its name */
  addInit(periodIndex: number, data: Buffer): string {
    const name = `${this.#prefix}init${periodIndex}.mp4`
    this.#inits.set(name, data)
    this.#sizeBytes += data.length
    return name
  }

  segmentName(msn: number): string {
    return `${this.#prefix}${msn}.${this.#extension}`
  }

  partName(msn: number, part: number): string {
    return `${this.#prefix}${msn}.${part}.${this.#extension}`
  }

  /** @param name the file's name without the prefix */
  file(name: string): PresentationFile | undefined {
    if (INIT_NAME.test(name)) return fileOf('mp4', [this.#inits.get(this.#prefix + name)])
    const [, msn, part, extension] = SEGMENT_NAME.exec(name) ?? []
    const segment = extension === this.#extension ? this.find(Number(msn)) : undefined
    if (!segment || extension !== this.#extension) return undefined
    if (part !== undefined) return segment.divided ? fileOf(extension, [segment.parts[Number(part)]?.data]) : undefined
    if (!segment.complete) return undefined
    return fileOf(
      extension,
      segment.parts.map(({ data }) => data),
    )
  }

  #dropInits(): void {
    const needed = new Set(this.#segments.map(({ initName }) => initName))
    // The newest init segment may belong to a period that has no segment yet.
    const newest = [...this.#inits.keys()].at(-1)
    for (const [name, data] of this.#inits) {
      if (needed.has(name) || name === newest) continue
      this.#inits.delete(name)
      this.#sizeBytes -= data.length
    }
  }
}

/** True when playlists list the segment. */
function isShown({ complete, divided, parts }: Segment): boolean {
  return complete || (divided && parts.length > 0)
}

function fileOf(extension: keyof typeof CONTENT_TYPE, pieces: readonly (Buffer | undefined)[]) {
  const buffers = pieces.filter((piece) => piece !== undefined)
  if (buffers.length < pieces.length) return undefined
  const sizeBytes = buffers.reduce((sum, { length }) => sum + length, 0)
  return { contentType: CONTENT_TYPE[extension], buffers, sizeBytes }
}
