import type { Box } from '../box.ts'
import { uint32 } from './fields.ts'

const MINOR_VERSION = 512
/** The brands that readers must know for a sample entry. */
const ENTRY_BRANDS: Readonly<Record<string, string>> = { av01: 'av01', alaw: 'qt  ', ulaw: 'qt  ' }

/**
 * `ftyp` (ISO/IEC 14496-12 4.3).
 * @param brands of four characters each, that of the file's kind first
 * @param entryTypes of all sample entries
 */
export function serializeFileType(brands: readonly [string, ...string[]], entryTypes: readonly string[]): Box {
  const all = new Set([...brands, ...entryTypes.flatMap((type) => ENTRY_BRANDS[type] ?? [])])
  return {
    type: 'ftyp',
    contents: [Buffer.from(brands[0], 'latin1'), uint32(MINOR_VERSION), Buffer.from([...all].join(''), 'latin1')],
  }
}
