import { amfFields, FLV_TAG_TYPE, type AmfObject } from 'sluice/sdk/media'
import type { TagHead } from './tag-reader.ts'

/** The shortest distance of places that are kept: a keyframe between them is found by reading on. */
const MIN_STEP_MS = 1000
/** The most places: those of a day; later ones are found by reading on. */
const MAX_PLACES = 86_400

const EX_HEADER = 0x80
const MULTITRACK = 6
const SEQUENCE_START = 0
const KEYFRAME_TYPES: readonly number[] = [1, 4]

/** A place at which reading can begin. */
export type Place = { readonly timestampMs: number; readonly offset: number }

/** Places at which reading can begin, in order of both time and offset. */
export class Places {
  readonly #places: Place[] = []

  /** Adds a place, unless it lies before the last one or right after it. */
  add(place: Place): void {
    const last = this.#places.at(-1)
    if (this.#places.length === MAX_PLACES) return
    if (last !== undefined && (place.timestampMs < last.timestampMs + MIN_STEP_MS || place.offset <= last.offset))
      return
    this.#places.push(place)
  }

  /** The last place at a time or before it. */
  before(timestampMs: number): Place | undefined {
    let low = 0
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#places[middle]!.timestampMs <= timestampMs) low = middle + 1
      else high = middle
    }
    return this.#places[low - 1]
  }
}

/** The places in the field `keyframes` of `onMetaData`, `times` in seconds with `filepositions`; empty when they are malformed. */
export function placesOf(metadata: AmfObject, sizeBytes: number): Places {
  const places = new Places()
  const { times, filepositions: offsets } = amfFields(metadata['keyframes']) ?? {}
  if (!Array.isArray(times) || !Array.isArray(offsets)) return places
  for (const [index, seconds] of times.entries()) {
    const offset: unknown = offsets[index]
    if (typeof seconds !== 'number' || typeof offset !== 'number') continue
    if (seconds >= 0 && Number.isSafeInteger(offset) && offset > 0 && offset < sizeBytes) {
      places.add({ timestampMs: Math.round(seconds * 1000), offset })
    }
  }
  return places
}

/**
 * True when a tag is a keyframe, and not a sequence header. False for tags without this information, which some writers of enhanced ones
 * leave out.
 */
export function isKeyframeTag({ type, bodyStart: [first = 0, second = SEQUENCE_START] }: TagHead): boolean {
  if (type !== FLV_TAG_TYPE.video || !KEYFRAME_TYPES.includes((first >> 4) & 0x07)) return false
  if ((first & EX_HEADER) === 0) return second !== SEQUENCE_START
  const packetType = first & 0x0f
  return (packetType === MULTITRACK ? second & 0x0f : packetType) !== SEQUENCE_START
}
