import type { Track } from '../../track.ts'
import type { UnitPieces } from '../annexb/unit-pieces.ts'
import { pesUnitPiecesOf } from '../pes/unit-pieces.ts'
import { serializeMetadataCellHeader } from './metadata-cell.ts'
import { serializeOpusControlHeader } from './opus-control-header.ts'

/**
 * Returns how the units of a track are written as long as its configuration stays: Opus with control headers, synchronous
 * KLV in cells of metadata, and the rest as {@link pesUnitPiecesOf} has it.
 * @throws {MalformedError} when the configuration is broken.
 */
export function tsUnitPiecesOf(track: Track): UnitPieces {
  if (track.codec === 'opus') return ({ data }) => [serializeOpusControlHeader(data.length), data]
  if (track.codec !== 'klv' || track.config.record.length === 0) return pesUnitPiecesOf(track)
  let sequence = 0
  return ({ data }) => {
    const header = serializeMetadataCellHeader(sequence, data.length)
    sequence = (sequence + 1) % 256
    return [header, data]
  }
}
