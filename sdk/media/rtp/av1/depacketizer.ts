import { av1ConfigFromSequenceHeader } from '../../codec/av1/config.ts'
import { isAv1Keyframe } from '../../codec/av1/keyframe.ts'
import { AV1_OBU_TYPE, MAX_OBUS_PER_TEMPORAL_UNIT, readLeb128, sizedObuHeader, splitObus } from '../../codec/av1/obu.ts'
import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../../codec/nalu.ts'
import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import type { VideoConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import { FrameAssembler, type FrameTraits } from '../frame-assembler.ts'
import type { RtpPacket } from '../packet.ts'
import { AV1_AGGREGATION } from './aggregation-header.ts'

/** Types that receivers ignore (5). */
const IGNORED_TYPES: ReadonlySet<number> = new Set([AV1_OBU_TYPE.TEMPORAL_DELIMITER, AV1_OBU_TYPE.TILE_LIST])

/**
 * Reads AV1 (RTP Payload Format For AV1, v1.0.0). Sequence headers show the configuration. After a loss, the first frame is
 * of a temporal unit that comes after the end of another, or that begins a coded video sequence.
 */
export class Av1Depacketizer implements RtpDepacketizer {
  readonly codec = 'av1'
  readonly config = undefined
  readonly #frames = new FrameAssembler(traitsOf)
  readonly #read = (payload: Buffer): void => this.#readPayload(payload)
  /** The fragments of an OBU that goes on in the next packet. */
  #fragments: Buffer[] = []
  #fragmentsSizeBytes = 0
  #obus = 0
  /** The timestamp of the last packet; undefined when it was lost. */
  #lastTimestamp: number | undefined
  #lastMarker = false
  /** True when this packet begins a temporal unit, as the last one ended another. */
  #afterEnd = false

  push(packet: RtpPacket, follows: boolean): readonly RtpFrame[] {
    const { payload, timestamp, marker } = packet
    if (!follows) {
      this.#lastTimestamp = undefined
      this.#dropFragments()
    }
    if (payload.length > 0) {
      this.#afterEnd = this.#lastTimestamp !== undefined && (this.#lastMarker || this.#lastTimestamp !== timestamp)
      this.#lastTimestamp = timestamp
      this.#lastMarker = marker
    }
    try {
      return this.#frames.push(packet, follows, this.#read)
    } catch (error) {
      this.#dropFragments()
      throw error
    }
  }

  /** 4.4 and 4.5: the aggregation header, then OBU elements, with a size before each but perhaps the last. */
  #readPayload(payload: Buffer): void {
    const head = payload[0]!
    const goesOn = (head & AV1_AGGREGATION.GOES_ON) !== 0
    const continues = (head & AV1_AGGREGATION.CONTINUES) !== 0
    const count = (head >> AV1_AGGREGATION.COUNT_SHIFT) & AV1_AGGREGATION.MAX_COUNT
    if (this.#afterEnd || (head & AV1_AGGREGATION.NEW_SEQUENCE) !== 0) this.#begin()
    let offset = 1
    let index = 0
    for (; count === 0 ? offset < payload.length : index < count; index++) {
      const { start, end } = elementAt(payload, offset, index + 1 === count)
      const last = count === 0 ? end === payload.length : index + 1 === count
      this.#takeElement(payload.subarray(start, end), index === 0 && goesOn, last && continues)
      offset = end
    }
    this.#frames.end(!continues)
  }

  #begin(): void {
    this.#dropFragments()
    this.#obus = 0
    this.#frames.begin()
  }

  #takeElement(element: Buffer, goesOn: boolean, continues: boolean): void {
    if (!this.#frames.begun && !goesOn && typeOf(element) === AV1_OBU_TYPE.SEQUENCE_HEADER) this.#begin()
    if (!this.#frames.begun) return
    if (goesOn !== this.#fragments.length > 0) {
      throw new MalformedError(goesOn ? 'OBU that goes on without a begin' : 'OBU without an end')
    }
    if (!goesOn && !continues) return this.#takeObu(element)
    this.#fragmentsSizeBytes += element.length
    if (this.#fragmentsSizeBytes > MAX_ACCESS_UNIT_SIZE_BYTES) {
      throw new MalformedError(`OBU of more than ${MAX_ACCESS_UNIT_SIZE_BYTES} bytes`)
    }
    this.#fragments.push(element)
    if (continues) return
    const whole = Buffer.concat(this.#fragments, this.#fragmentsSizeBytes)
    this.#dropFragments()
    this.#takeObu(whole)
  }

  /** An element has one OBU, with or without a size of its own. */
  #takeObu(element: Buffer): void {
    for (const obu of splitObus(element)) {
      if (IGNORED_TYPES.has(obu.type)) continue
      this.#obus += 1
      if (this.#obus > MAX_OBUS_PER_TEMPORAL_UNIT) {
        throw new MalformedError(`temporal unit of more than ${MAX_OBUS_PER_TEMPORAL_UNIT} OBUs`)
      }
      this.#frames.add(sizedObuHeader(obu))
      if (obu.payload.length > 0) this.#frames.add(obu.payload)
    }
  }

  #dropFragments(): void {
    if (this.#fragments.length > 0) this.#fragments = []
    this.#fragmentsSizeBytes = 0
  }
}

function elementAt(
  payload: Buffer,
  offset: number,
  unsized: boolean,
): { readonly start: number; readonly end: number } {
  if (unsized) return { start: offset, end: payload.length }
  const size = readLeb128(payload, offset)
  const start = offset + size.sizeBytes
  const end = start + size.value
  if (end > payload.length) {
    throw new MalformedError(`OBU element of ${size.value} bytes at byte ${start} of ${payload.length}`)
  }
  return { start, end }
}

function typeOf(obu: Buffer): number {
  return ((obu[0] ?? 0) >> 3) & 15
}

function traitsOf(temporalUnit: Buffer): FrameTraits {
  return { keyframe: isAv1Keyframe(temporalUnit), config: tryParse(configOf, temporalUnit) }
}

function configOf(temporalUnit: Buffer): VideoConfig | undefined {
  const header = splitObus(temporalUnit).find(({ type }) => type === AV1_OBU_TYPE.SEQUENCE_HEADER)
  return header && av1ConfigFromSequenceHeader(header)
}
