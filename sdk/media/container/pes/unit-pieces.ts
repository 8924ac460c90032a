import { parseAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts'
import { serializeAdtsHeader } from '../../codec/aac/adts.ts'
import type { AdtsFormat } from '../../codec/aac/adts.ts'
import type { Track } from '../../track.ts'
import { annexBPiecesOf, canCarryInAnnexB, type UnitPieces } from '../annexb/unit-pieces.ts'

/**
 * Returns how the units of a track are written in PES packets as long as its configuration stays: H.26x with start codes, a
 * delimiter first (ISO/IEC 13818-1 2.14.1 and 2.17.1 demand it) and parameter sets before keyframes that have none of their
 * own; AAC with ADTS; the rest as it is.
 * @throws {MalformedError} when the configuration is broken.
 */
export function pesUnitPiecesOf(track: Track): UnitPieces {
  if (canCarryInAnnexB(track)) return annexBPiecesOf(track)
  if (track.codec !== 'aac') return ({ data }) => [data]
  const format: AdtsFormat = parseAudioSpecificConfig(track.config.record)
  return ({ data }) => [serializeAdtsHeader(format, data.length), data]
}
