import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../../codec/nalu.ts'
import { MalformedError } from '../../errors.ts'

/** Puts one NAL unit together from fragmentation units (RFC 6184 5.8, RFC 7798 4.4.3). */
export class NaluFragments {
  #parts: Buffer[] = []
  #sizeBytes = 0
  #state: 'none' | 'begun' | 'lost' = 'lost'

  /** True while a NAL unit has begun and not ended. */
  get begun(): boolean {
    return this.#state === 'begun'
  }

  /** @param header The NAL unit's header, which fragments do not repeat as it is. */
  begin(header: Buffer): void {
    this.#parts = [header]
    this.#sizeBytes = header.length
    this.#state = 'begun'
  }

  /**
   * Takes the next fragment, and returns the NAL unit when it was the last. The rest of one that was given up is ignored.
   * @throws {MalformedError} when nothing was begun, or when it gets too large
   */
  push(fragment: Buffer, end: boolean): Buffer | undefined {
    if (this.#state === 'lost') return undefined
    if (this.#state === 'none') throw new MalformedError(`fragment of ${fragment.length} bytes of no NAL unit`)
    this.#sizeBytes += fragment.length
    if (this.#sizeBytes > MAX_ACCESS_UNIT_SIZE_BYTES) {
      throw new MalformedError(`NAL unit of more than ${MAX_ACCESS_UNIT_SIZE_BYTES} bytes`)
    }
    this.#parts.push(fragment)
    if (!end) return undefined
    const nalu = Buffer.concat(this.#parts, this.#sizeBytes)
    this.leave()
    return nalu
  }

  /** Forgets what was begun. */
  leave(): void {
    if (this.begun) this.#parts = []
    this.#state = 'none'
  }

  /** Gives up what was begun, and what may come of it. */
  lose(): void {
    this.leave()
    this.#state = 'lost'
  }
}
