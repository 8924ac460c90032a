import { FLV_TAG_TYPE, MalformedError } from 'sluice/sdk/media'
import { isKeyframeTag, Places } from './keyframes.ts'
import type { RecordingBytes } from 'sluice/sdk'
import { TagReader } from './tag-reader.ts'

/** Finds the place at which to begin for a time: from the known places, by reading on from tag to tag. */
export class PlaceSearch {
  readonly #bytes: RecordingBytes
  readonly #seen = new Places()
  #given = new Places()

  constructor(bytes: RecordingBytes) {
    this.#bytes = bytes
  }

  /** Adds the places of the metadata; wrong ones are not used. */
  give(places: Places): void {
    this.#given = places
  }

  /** Adds a keyframe that was seen; without video, any unit. */
  see(timestampMs: number, offset: number): void {
    this.#seen.add({ timestampMs, offset })
  }

  /**
   * The offset of the tag of the last keyframe at a time or before it, without video that of the last unit; undefined when there is none.
   */
  async find(timestampMs: number, hasPictures: boolean): Promise<number | undefined> {
    const [given, seen] = [this.#given.before(timestampMs), this.#seen.before(timestampMs)]
    if (given !== undefined && given.timestampMs > (seen?.timestampMs ?? -1)) {
      const found = await this.#readOn(given.offset, timestampMs, hasPictures)
      if (found !== undefined) return found
    }
    return (await this.#readOn(seen?.offset, timestampMs, hasPictures)) ?? seen?.offset
  }

  async #readOn(offset: number | undefined, timestampMs: number, hasPictures: boolean): Promise<number | undefined> {
    const reader = new TagReader(this.#bytes, offset)
    const leading = hasPictures ? FLV_TAG_TYPE.video : FLV_TAG_TYPE.audio
    let found: number | undefined
    try {
      for (let head = await reader.head(); head !== undefined; head = await reader.head()) {
        if (head.type !== leading || (hasPictures && head.bodyStart.length === 0)) continue
        if (head.timestampMs > timestampMs) break
        if (hasPictures && !isKeyframeTag(head)) continue
        found = head.offset
        this.see(head.timestampMs, head.offset)
      }
    } catch (error) {
      // A search ends at damage, which is reported when it is played.
      if (!(error instanceof MalformedError)) throw error
    }
    return found
  }
}
