import { fullBox, type Box } from '../box.ts'
import { uint32 } from './fields.ts'

/** `mfhd` (ISO/IEC 14496-12 8.8.5): the number of a fragment, counted modulo 2^32. Nothing here reads it. */
export function serializeMovieFragmentHeader(sequenceNumber: number): Box {
  return fullBox('mfhd', 0, 0, [uint32(sequenceNumber % 2 ** 32)])
}
