import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../../codec/nalu.ts'

/** The codecs whose byte streams are split into access units. */
export type SplitCodec = 'h264' | 'h265'

export type AccessUnitSplitterInit = {
  /** A parameter set has shown the codec, or another one than before: the units that follow are of it. */
  readonly onCodec: (codec: SplitCodec) => void
  /** Takes an access unit with start codes, and the times that were given for it. */
  readonly onUnit: (data: Buffer, pts: number | undefined, dts: number | undefined) => void
  /** A unit is left out, as it is too large, or its end was told wrongly. */
  readonly onLost: () => void
}

type Times = { readonly pts: number | undefined; readonly dts: number | undefined }

/** The role of a NAL unit in its access unit: it may begin one, it is a slice that does or does not, or neither. */
type Role = 'beginning' | 'first slice' | 'slice' | 'other'

const START_CODE = Buffer.of(0, 0, 1)
/** The bytes of a NAL unit that show its role: two of the header, as H.265 has it, and one of the slice. */
const SHOWN_BYTES = 3
const INITIAL_SIZE_BYTES = 16 * 1024
/** The number of units in a row whose end must be told rightly before units are given out when their end is told. */
const TRUSTED_ENDS = 8
const NO_TIMES: Times = { pts: undefined, dts: undefined }

const FIRST_SLICE = 0x80
/** Types of NAL units that come before the slices of their unit (ISO/IEC 14496-10 7.4.1.2.3, ISO/IEC 23008-2 7.4.2.4.4). */
const BEGINNING_TYPES = {
  h264: new Set([6, 7, 8, 9, 14, 15, 16, 17, 18]),
  h265: new Set([32, 33, 34, 35, 39, 41, 42, 43, 44, 48, 49, 50, 51, 52, 53, 54, 55]),
} as const
const LAST_H265_SLICE_TYPE = 31

/**
 * Splits a byte stream of H.264 or H.265 (Annex B) into access units where they begin, wherever packets begin: one may have a
 * part of a picture, or several. The codec is that which the parameter sets show, whatever is declared; what comes before
 * the first of them is left out, as nothing can be decoded without.
 *
 * A unit is given out when the next one begins, or when its end is told and the last ends were told rightly.
 */
export class AccessUnitSplitter {
  readonly #init: AccessUnitSplitterInit
  #codec: SplitCodec | undefined
  #buffer: Buffer = Buffer.alloc(0)
  #sizeBytes = 0
  /** The place where the present unit begins. */
  #start = 0
  /** The place where the search for start codes goes on. */
  #scanned = 0
  #hasSlice = false
  #times: Times = NO_TIMES
  /** The times of the next unit that begins at `#packetStart` or later. */
  #nextTimes: Times = NO_TIMES
  #packetStart = 0
  /** Those of the packet before, for a unit of which only the start code has come. */
  #formerTimes: Times = NO_TIMES
  /** The place at which the end of a unit was told. */
  #toldEnd: number | undefined
  #rightEnds = 0
  /** True when the former unit was given out as its end was told, until a NAL unit comes. */
  #isAfterToldEnd = false
  /** The bytes that have come since, and were left out. */
  #afterEndBytes = 0
  /** True while bytes are left out until a unit begins. */
  #isSkipping = true

  constructor(init: AccessUnitSplitterInit) {
    this.#init = init
  }

  /** Begins a packet: its times are those of the first unit that begins in it (ISO/IEC 13818-1 2.4.3.7). */
  packet(pts: number | undefined, dts: number | undefined): void {
    // Before the codec is known, a unit may have begun in the packet before: with a delimiter.
    if (pts === undefined && this.#codec === undefined) return
    this.#formerTimes = this.#nextTimes
    this.#nextTimes = { pts, dts }
    this.#packetStart = this.#sizeBytes
  }

  /** Reads the next bytes, which are borrowed. */
  push(bytes: Buffer): void {
    if (this.#sizeBytes - this.#start + bytes.length > MAX_ACCESS_UNIT_SIZE_BYTES) return this.#tooLarge()
    this.#append(bytes)
    this.#scan(SHOWN_BYTES)
    this.#compact()
  }

  /** Tells that a unit ends here, as RTP's marker does. It may be wrong. */
  unitEnds(): void {
    if (!this.#hasSlice) return
    this.#toldEnd ??= this.#sizeBytes
    if (this.#rightEnds < TRUSTED_ENDS || this.#toldEnd !== this.#sizeBytes) return
    this.#scan(1)
    this.#give(this.#sizeBytes)
    this.#compact()
    this.#isAfterToldEnd = true
    this.#afterEndBytes = 0
  }

  /** Gives out the last unit. */
  flush(): void {
    this.#scan(1)
    this.#give(this.#sizeBytes)
    this.#compact()
  }

  /** Drops the unit that has begun: bytes are missing before the next ones. */
  restart(): void {
    this.#sizeBytes = this.#start = this.#scanned = this.#packetStart = 0
    this.#forgetUnit()
    this.#nextTimes = this.#formerTimes = NO_TIMES
    this.#isSkipping = true
    this.#isAfterToldEnd = false
  }

  #scan(neededBytes: number): void {
    const bytes = this.#buffer.subarray(0, this.#sizeBytes)
    for (;;) {
      const at = bytes.indexOf(START_CODE, this.#scanned)
      const nalu = at + START_CODE.length
      if (at < 0) this.#scanned = Math.max(this.#scanned, bytes.length - START_CODE.length + 1)
      if (at >= 0 && nalu + neededBytes > bytes.length) this.#scanned = at
      if (at < 0 || nalu + neededBytes > bytes.length) return
      this.#scanned = nalu
      this.#nalu(bytes, at, nalu)
    }
  }

  #nalu(bytes: Buffer, at: number, nalu: number): void {
    const shown = codecOfParameterSet(bytes, nalu)
    const isOther = shown !== undefined && shown !== this.#codec
    if (isOther && this.#codec !== undefined) this.#give(at)
    if (isOther) this.#init.onCodec((this.#codec = shown))
    if (this.#codec === undefined) return
    const role = roleOf(this.#codec, bytes, nalu)
    const begins = role === 'beginning' || role === 'first slice'
    if (this.#isAfterToldEnd) this.#checkToldEnd(begins && this.#afterEndBytes + at <= 1)
    if (this.#isSkipping && begins) this.#begin(at)
    else if (this.#hasSlice && begins) {
      this.#countEnd(at)
      this.#give(at)
      this.#begin(at)
    }
    if (role === 'slice' || role === 'first slice') this.#hasSlice = !this.#isSkipping
  }

  #begin(at: number): void {
    this.#isSkipping = false
    this.#start = at
    const isOfFormer = at + START_CODE.length < this.#packetStart
    this.#times = isOfFormer ? this.#formerTimes : this.#nextTimes
    this.#formerTimes = NO_TIMES
    if (!isOfFormer) this.#nextTimes = NO_TIMES
  }

  /** Gives out the unit that ends at `end`; no other has begun then. */
  #give(end: number): void {
    if (!this.#isSkipping && this.#hasSlice) {
      const { pts, dts } = this.#times
      this.#init.onUnit(Buffer.from(this.#buffer.subarray(this.#start, end)), pts, dts)
    }
    this.#start = end
    this.#scanned = Math.max(this.#scanned, end)
    this.#isSkipping = true
    this.#forgetUnit()
  }

  #forgetUnit(): void {
    this.#hasSlice = false
    this.#times = NO_TIMES
    this.#toldEnd = undefined
  }

  /** Counts whether the end of the unit that ends at `end` was told. */
  #countEnd(end: number): void {
    const told = this.#toldEnd
    // A zero may belong to either unit.
    if (told !== undefined) this.#rightEnds = told === end || told === end - 1 ? this.#rightEnds + 1 : 0
  }

  /** Checks an end that was told: a unit must begin there, but for a zero that may belong to either. */
  #checkToldEnd(isRight: boolean): void {
    this.#isAfterToldEnd = false
    if (isRight) return
    this.#rightEnds = -Infinity
    this.#init.onLost()
  }

  #tooLarge(): void {
    const isKnown = this.#codec !== undefined
    this.restart()
    if (isKnown) this.#init.onLost()
  }

  #append(bytes: Buffer): void {
    const sizeBytes = this.#sizeBytes + bytes.length
    if (sizeBytes > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(INITIAL_SIZE_BYTES, 2 * sizeBytes))
      this.#buffer.copy(grown, 0, 0, this.#sizeBytes)
      this.#buffer = grown
    }
    bytes.copy(this.#buffer, this.#sizeBytes)
    this.#sizeBytes = sizeBytes
  }

  /** Moves what is needed to the front of the buffer. */
  #compact(): void {
    const from = this.#isSkipping ? this.#scanned : this.#start
    if (from === 0) return
    if (this.#isAfterToldEnd) this.#afterEndBytes += from
    this.#buffer.copyWithin(0, from, this.#sizeBytes)
    this.#sizeBytes -= from
    this.#scanned -= from
    this.#start = 0
    this.#packetStart -= from
    if (this.#toldEnd !== undefined) this.#toldEnd -= from
  }
}

/** The codec of a parameter set; undefined of other NAL units. None of one codec looks like one of the other. */
function codecOfParameterSet(bytes: Buffer, nalu: number): SplitCodec | undefined {
  const [first = 0, second = 0] = [bytes[nalu], bytes[nalu + 1]]
  // A VPS or SPS of H.265, of layer 0: as H.264 its type would be 0 or 2, which is not in use.
  if ((first === 0x40 || first === 0x42) && second === 1) return 'h265'
  // An SPS of H.264: as H.265 it would be of layer 32 or above.
  const isSps = (first & 0x9f) === 7 && (first & 0x60) !== 0
  return isSps && second >= 44 ? 'h264' : undefined
}

function roleOf(codec: SplitCodec, bytes: Buffer, nalu: number): Role {
  const header = bytes[nalu] ?? 0
  if (codec === 'h264') {
    const type = header & 0x1f
    if (BEGINNING_TYPES.h264.has(type)) return 'beginning'
    if (type !== 1 && type !== 2 && type !== 5) return 'other'
    // `first_mb_in_slice` is 0.
    return (bytes[nalu + 1] ?? 0) >= FIRST_SLICE ? 'first slice' : 'slice'
  }
  const type = (header >> 1) & 0x3f
  if (BEGINNING_TYPES.h265.has(type)) return 'beginning'
  if (type > LAST_H265_SLICE_TYPE) return 'other'
  return (bytes[nalu + 2] ?? 0) >= FIRST_SLICE ? 'first slice' : 'slice'
}
