import type { VideoConfig } from '../../track.ts'
import { tryParse } from '../try-parse.ts'
import { parseAv1CodecConfigurationRecord, serializeAv1CodecConfigurationRecord } from './codec-configuration-record.ts'
import { AV1_OBU_TYPE, joinObus, splitObus } from './obu.ts'
import type { Av1Obu } from './obu.ts'
import { parseAv1SequenceHeader } from './sequence-header.ts'

/**
 * The configuration of a track from its `av1C`, which is kept as it is given.
 * The size is 0 when the record holds no sequence header that can be parsed.
 * @throws {MalformedError} when the record itself is broken.
 */
export function av1Config(record: Buffer): VideoConfig {
  const { profile, level, tier, color, configObus } = parseAv1CodecConfigurationRecord(record)
  const obus = tryParse(splitObus, configObus) ?? []
  const header = obus.find((obu) => obu.type === AV1_OBU_TYPE.SEQUENCE_HEADER)
  const parsed = tryParse(parseAv1SequenceHeader, header?.payload)
  const levelAndTier = `${twoDigits(level)}${tier === 1 ? 'H' : 'M'}`
  return {
    record,
    width: parsed?.width ?? 0,
    height: parsed?.height ?? 0,
    codecString: `av01.${profile}.${levelAndTier}.${twoDigits(color.bitDepth)}`,
  }
}

/**
 * The configuration of a track from a sequence header of its stream.
 * @throws {MalformedError} when it cannot be parsed.
 */
export function av1ConfigFromSequenceHeader(header: Av1Obu): VideoConfig {
  const { profile, level, tier, color } = parseAv1SequenceHeader(header.payload)
  const head = { profile, level, tier, color, initialPresentationDelay: undefined }
  return av1Config(serializeAv1CodecConfigurationRecord({ ...head, configObus: joinObus([header]) }))
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
