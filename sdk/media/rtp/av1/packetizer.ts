import type { AccessUnit } from '../../access-unit.ts'
import { parseAv1CodecConfigurationRecord } from '../../codec/av1/codec-configuration-record.ts'
import { AV1_OBU_TYPE, splitObus, unsizedObuHeader, type Av1Obu } from '../../codec/av1/obu.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'
import { ElementPacker } from './element-packer.ts'

/** Types that are not sent (RTP Payload Format For AV1 5). */
const UNSENT_TYPES: ReadonlySet<number> = new Set([AV1_OBU_TYPE.TEMPORAL_DELIMITER, AV1_OBU_TYPE.TILE_LIST])

/**
 * Writes AV1 (RTP Payload Format For AV1, v1.0.0): as many OBUs in a packet as fit, cut where the packet ends. The sequence
 * header of the track goes before each keyframe that has none of its own.
 */
export class Av1Packetizer implements RtpPacketizer {
  readonly #maxPayloadBytes: number

  constructor(options: PacketizerOptions) {
    this.#maxPayloadBytes = checkMaxPayload(options)
  }

  packetize(unit: AccessUnit): readonly RtpPayload[] {
    const obus = obusToSend(unit)
    const newSequence = unit.keyframe && obus.some(isSequenceHeader)
    const packer = new ElementPacker(this.#maxPayloadBytes, newSequence)
    for (const obu of obus) packer.add(unsizedObuHeader(obu), obu.payload)
    return packer.finish()
  }
}

function obusToSend({ track, keyframe, data }: AccessUnit): readonly Av1Obu[] {
  const obus = splitObus(data).filter(({ type }) => !UNSENT_TYPES.has(type))
  if (!keyframe || track.kind !== 'video' || obus.length === 0 || obus.some(isSequenceHeader)) return obus
  return [...(tryParse(sequenceHeadersOf, track.config.record) ?? []), ...obus]
}

function sequenceHeadersOf(record: Buffer): Av1Obu[] {
  return splitObus(parseAv1CodecConfigurationRecord(record).configObus).filter(isSequenceHeader)
}

function isSequenceHeader({ type }: Av1Obu): boolean {
  return type === AV1_OBU_TYPE.SEQUENCE_HEADER
}
