import { MalformedError } from 'sluice/sdk/media'
import { parseAttributes } from './attribute.ts'

/** The most segments of a playlist: a day of segments of four seconds. */
export const MAX_SEGMENTS = 21_600
const MAX_VARIANTS = 1000
/** The bounds of target durations, and the duration of segments that have none. */
const MAX_TARGET_SECONDS = 60
const DEFAULT_TARGET_SECONDS = 6

/** A part of a file. */
export type ByteRange = { readonly offset: number; readonly sizeBytes: number }
/** EXT-X-KEY (RFC 8216 4.3.2.4), as written. */
export type SegmentKey = {
  readonly method: string
  readonly uri: string
  readonly iv: string | undefined
  readonly format: string
}
export type InitSegment = {
  readonly uri: string
  readonly range: ByteRange | undefined
  readonly key: SegmentKey | undefined
}

/** A segment of a source; addresses are as written. */
export type SourceSegment = {
  readonly uri: string
  readonly range: ByteRange | undefined
  readonly durationSeconds: number
  readonly sequence: number
  /** The number of the discontinuity; times are continuous while it stays the same. */
  readonly discontinuity: number
  readonly key: SegmentKey | undefined
  readonly init: InitSegment | undefined
  /** True for a gap: it is listed, but does not exist. */
  readonly gap: boolean
}

export type SourceMediaPlaylist = {
  readonly kind: 'media'
  readonly targetDurationSeconds: number
  /** True when segments have numbers; otherwise they are identified by their addresses. */
  readonly hasSequence: boolean
  readonly ended: boolean
  readonly segments: readonly SourceSegment[]
}

export type SourceVariant = {
  readonly uri: string
  readonly bandwidth: number
  readonly height: number
  /** The codecs; empty when the playlist has none. */
  readonly codecs: readonly string[]
  readonly audioGroup: string | undefined
}
export type SourceAudio = {
  readonly group: string
  readonly isDefault: boolean
  /** Undefined when the audio is in the variant itself. */
  readonly uri: string | undefined
}
export type SourceVariants = {
  readonly kind: 'variants'
  readonly variants: readonly SourceVariant[]
  readonly audio: readonly SourceAudio[]
}

/**
 * Parses a playlist of a source leniently: unknown and malformed tags are ignored, and missing values get their usual defaults.
 * @throws {MalformedError} when it is no playlist at all, or longer than any
 */
export function parseSourcePlaylist(text: string): SourceMediaPlaylist | SourceVariants {
  const lines = text
    .replace(/^\uFEFF/u, '')
    .split(/[\r\n]+/u)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const tags = lines.filter((line) => line.startsWith('#EXT'))
  if (tags.some((line) => line.startsWith('#EXT-X-STREAM-INF:'))) return parseVariants(lines)
  if (tags.length === 0) throw new MalformedError('no playlist: there is no tag in it')
  return new MediaParser().parse(lines)
}

function parseVariants(lines: readonly string[]): SourceVariants {
  const variants: SourceVariant[] = []
  const audio: SourceAudio[] = []
  let described: ReadonlyMap<string, string> | undefined
  for (const line of lines) {
    const [name, value] = splitTag(line)
    if (name === '#EXT-X-STREAM-INF') described = parseAttributes(value)
    else if (name === '#EXT-X-MEDIA') addAudio(audio, parseAttributes(value))
    else if (!line.startsWith('#') && described) {
      variants.push(variantOf(line, described))
      described = undefined
    }
    if (variants.length + audio.length > MAX_VARIANTS) throw new MalformedError(`more than ${MAX_VARIANTS} variants`)
  }
  return { kind: 'variants', variants, audio }
}

function variantOf(uri: string, attributes: ReadonlyMap<string, string>): SourceVariant {
  return {
    uri,
    bandwidth: numberIn(attributes.get('BANDWIDTH')),
    height: numberIn(attributes.get('RESOLUTION')?.split(/x/iu)[1]),
    codecs: (attributes.get('CODECS') ?? '').split(',').flatMap((codec) => codec.trim() || []),
    audioGroup: attributes.get('AUDIO'),
  }
}

function addAudio(audio: SourceAudio[], attributes: ReadonlyMap<string, string>): void {
  if (attributes.get('TYPE') !== 'AUDIO') return
  const isDefault = attributes.get('DEFAULT') === 'YES'
  audio.push({ group: attributes.get('GROUP-ID') ?? '', isDefault, uri: attributes.get('URI') || undefined })
}

/** Parses a media playlist, and keeps the tags that apply to the following segments. */
class MediaParser {
  readonly #segments: SourceSegment[] = []
  #target: number | undefined
  #sequence: number | undefined
  #discontinuity = 0
  #ended = false
  #key: SegmentKey | undefined
  #init: InitSegment | undefined
  #duration: number | undefined
  #range: ByteRange | undefined
  #gap = false
  /** The offset of the next part of a file that does not have one itself. */
  #nextOffset = 0

  parse(lines: readonly string[]): SourceMediaPlaylist {
    for (const line of lines) {
      if (line.startsWith('#')) this.#tag(...splitTag(line))
      else this.#segment(line)
    }
    const longest = Math.max(0, ...this.#segments.map(({ durationSeconds }) => durationSeconds))
    const target = this.#target ?? (longest > 0 ? Math.ceil(longest) : DEFAULT_TARGET_SECONDS)
    const targetDurationSeconds = Math.min(Math.max(1, target), MAX_TARGET_SECONDS)
    const first = this.#sequence ?? 0
    return {
      kind: 'media',
      targetDurationSeconds,
      hasSequence: this.#sequence !== undefined,
      ended: this.#ended,
      segments: this.#segments.map((segment, index) => ({
        ...segment,
        sequence: first + index,
        durationSeconds: segment.durationSeconds > 0 ? segment.durationSeconds : targetDurationSeconds,
      })),
    }
  }

  #tag(name: string, value: string): void {
    switch (name) {
      case '#EXTINF':
        this.#duration = numberIn(value.split(',')[0])
        break
      case '#EXT-X-BYTERANGE':
        this.#range = this.#rangeOf(value)
        break
      case '#EXT-X-DISCONTINUITY':
        this.#discontinuity += 1
        break
      case '#EXT-X-GAP':
        this.#gap = true
        break
      case '#EXT-X-KEY':
        this.#key = keyOf(parseAttributes(value))
        break
      case '#EXT-X-MAP':
        this.#init = this.#initOf(parseAttributes(value))
        break
      case '#EXT-X-TARGETDURATION':
        this.#target = numberIn(value) || undefined
        break
      case '#EXT-X-MEDIA-SEQUENCE':
        this.#sequence = Math.floor(numberIn(value))
        break
      case '#EXT-X-DISCONTINUITY-SEQUENCE':
        this.#discontinuity += Math.floor(numberIn(value))
        break
      case '#EXT-X-ENDLIST':
        this.#ended = true
        break
    }
  }

  #segment(uri: string): void {
    if (this.#segments.length === MAX_SEGMENTS) throw new MalformedError(`more than ${MAX_SEGMENTS} segments`)
    this.#segments.push({
      uri,
      range: this.#range,
      durationSeconds: this.#duration ?? 0,
      sequence: 0,
      discontinuity: this.#discontinuity,
      key: this.#key,
      init: this.#init,
      gap: this.#gap,
    })
    if (this.#range === undefined) this.#nextOffset = 0
    this.#duration = this.#range = undefined
    this.#gap = false
  }

  #initOf(attributes: ReadonlyMap<string, string>): InitSegment | undefined {
    const uri = attributes.get('URI')
    const range = attributes.get('BYTERANGE')
    if (!uri) return undefined
    return { uri, range: range === undefined ? undefined : this.#rangeOf(range, 0), key: this.#key }
  }

  #rangeOf(text: string, defaultOffset = this.#nextOffset): ByteRange | undefined {
    const [, size, at] = /^(\d{1,15})(?:@(\d{1,15}))?$/u.exec(text.trim()) ?? []
    if (size === undefined) return undefined
    const range = { offset: at === undefined ? defaultOffset : Number(at), sizeBytes: Number(size) }
    this.#nextOffset = range.offset + range.sizeBytes
    return range
  }
}

function keyOf(attributes: ReadonlyMap<string, string>): SegmentKey | undefined {
  const method = attributes.get('METHOD') ?? 'NONE'
  if (method === 'NONE') return undefined
  const format = attributes.get('KEYFORMAT') ?? 'identity'
  return { method, uri: attributes.get('URI') ?? '', iv: attributes.get('IV'), format }
}

function splitTag(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)]
}

/** The number; 0 for a malformed or negative one. */
function numberIn(text: string | undefined): number {
  const value = Number.parseFloat(text ?? '')
  return Number.isFinite(value) && value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0
}
