import type { EncryptionFlag } from '../packet/data-packet.ts'

const FIRST_CAPACITY = 64

/**
 * Payloads that are to be sent or may have to be sent again, from the oldest that the peer has not acknowledged on. Each has an
 * index that counts from 0 and never begins again. The bytes are those of the muxer, shared with other connections: an entry is a
 * reference and a few numbers.
 */
export class SendBuffer {
  /** The oldest entry. */
  #first = 0
  /** The entry that is added next. */
  #end = 0
  #sizeBytes = 0
  #chunks: (Buffer | undefined)[] = Array.from({ length: FIRST_CAPACITY })
  #offsets = new Uint32Array(FIRST_CAPACITY)
  #lengths = new Uint16Array(FIRST_CAPACITY)
  /** The time of each payload, as in its time stamp. */
  #originsUs = new Float64Array(FIRST_CAPACITY)
  /** The time at which each payload was last sent again; 0 for never. */
  #repeatsUs = new Float64Array(FIRST_CAPACITY)
  #keyFlags = new Uint8Array(FIRST_CAPACITY)
  #lost = new Uint8Array(FIRST_CAPACITY)

  get first(): number {
    return this.#first
  }

  get end(): number {
    return this.#end
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  add(bytes: Buffer, offset: number, length: number, originUs: number): void {
    if (this.#end - this.#first === this.#chunks.length) this.#grow()
    const slot = this.#slot(this.#end)
    this.#chunks[slot] = bytes
    this.#offsets[slot] = offset
    this.#lengths[slot] = length
    this.#originsUs[slot] = originUs
    this.#repeatsUs[slot] = 0
    this.#keyFlags[slot] = 0
    this.#lost[slot] = 0
    this.#end += 1
    this.#sizeBytes += length
  }

  lengthOf(index: number): number {
    return this.#lengths[this.#slot(index)]!
  }

  originUsOf(index: number): number {
    return this.#originsUs[this.#slot(index)]!
  }

  /** Copies a payload. */
  copy(index: number, target: Buffer, at: number): void {
    const slot = this.#slot(index)
    const offset = this.#offsets[slot]!
    this.#chunks[slot]!.copy(target, at, offset, offset + this.#lengths[slot]!)
  }

  keyFlagOf(index: number): EncryptionFlag {
    return this.#keyFlags[this.#slot(index)] as EncryptionFlag
  }

  setKeyFlag(index: number, flag: EncryptionFlag): void {
    this.#keyFlags[this.#slot(index)] = flag
  }

  /**
   * Marks a payload as lost on its way.
   * @returns false when that is known already, or it was sent again after `sentAgainBeforeUs`, so that the repeat may be on its way
   */
  markLost(index: number, sentAgainBeforeUs: number): boolean {
    const slot = this.#slot(index)
    if (this.#lost[slot] === 1 || this.#repeatsUs[slot]! > sentAgainBeforeUs) return false
    this.#lost[slot] = 1
    return true
  }

  /** It is sent again now. */
  markRepeated(index: number, nowUs: number): void {
    const slot = this.#slot(index)
    this.#lost[slot] = 0
    this.#repeatsUs[slot] = nowUs
  }

  /** Releases the payloads before an index. */
  release(index: number): void {
    for (; this.#first < index; this.#first += 1) {
      const slot = this.#slot(this.#first)
      this.#chunks[slot] = undefined
      this.#sizeBytes -= this.#lengths[slot]!
    }
  }

  /** The capacity is a power of two, and the bits of numbers beyond 2^32 that count stay right. */
  #slot(index: number): number {
    return index & (this.#chunks.length - 1)
  }

  #grow(): void {
    const former = { chunks: this.#chunks, offsets: this.#offsets, lengths: this.#lengths, originsUs: this.#originsUs }
    const formerMarks = { repeatsUs: this.#repeatsUs, keyFlags: this.#keyFlags, lost: this.#lost }
    const mask = former.chunks.length - 1
    const capacity = former.chunks.length * 2
    this.#chunks = Array.from({ length: capacity })
    this.#offsets = new Uint32Array(capacity)
    this.#lengths = new Uint16Array(capacity)
    this.#originsUs = new Float64Array(capacity)
    this.#repeatsUs = new Float64Array(capacity)
    this.#keyFlags = new Uint8Array(capacity)
    this.#lost = new Uint8Array(capacity)
    for (let index = this.#first; index < this.#end; index += 1) {
      const from = index & mask
      const to = this.#slot(index)
      this.#chunks[to] = former.chunks[from]
      this.#offsets[to] = former.offsets[from]!
      this.#lengths[to] = former.lengths[from]!
      this.#originsUs[to] = former.originsUs[from]!
      this.#repeatsUs[to] = formerMarks.repeatsUs[from]!
      this.#keyFlags[to] = formerMarks.keyFlags[from]!
      this.#lost[to] = formerMarks.lost[from]!
    }
  }
}
