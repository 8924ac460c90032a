import { parseAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts'
import { serializeAdtsHeader } from '../../codec/aac/adts.ts'
import type { AdtsFormat } from '../../codec/aac/adts.ts'
import type { Track } from '../../track.ts'
import { annexBPiecesOf, canCarryInAnnexB, type UnitPieces } from '../annexb/unit-pieces.ts'
import { serializeMetadataCellHeader } from './metadata-cell.ts'
import { serializeOpusControlHeader } from './opus-control-header.ts'

/**
 * Returns how the units of a track are written as long as its configuration stays: H.26x with start codes, a delimiter
 * first (ISO/IEC 13818-1 2.14.1 and 2.17.1 demand it) and parameter sets before keyframes that have none of their own;
 * AAC with ADTS; Opus with control headers; synchronous KLV in cells of metadata; the rest as it is.
 * @throws {MalformedError} when the configuration is broken.
 */
export function unitPiecesOf(track: Track): UnitPieces {
  if (canCarryInAnnexB(track)) return annexBPiecesOf(track)
  switch (track.codec) {
    case 'aac': {
      const format: AdtsFormat = parseAudioSpecificConfig(track.config.record)
      return ({ data }) => [serializeAdtsHeader(format, data.length), data]
    }
    case 'opus':
      return ({ data }) => [serializeOpusControlHeader(data.length), data]
    case 'klv': {
      if (track.config.record.length === 0) return ({ data }) => [data]
      let sequence = 0
      return ({ data }) => {
        const header = serializeMetadataCellHeader(sequence, data.length)
        sequence = (sequence + 1) % 256
        return [header, data]
      }
    }
    default:
      return ({ data }) => [data]
  }
}
