import { parseAc3SyncFrame } from '../../codec/ac3/sync-frame.ts'
import type { Ac3SyncFrame } from '../../codec/ac3/sync-frame.ts'
import { MalformedError } from '../../errors.ts'

/** The codecs that are carried alike. */
export type Ac3Codec = 'ac3' | 'eac3'

/** Two bytes before the frames: the type in the lowest bits of the first, and how many frames or pieces there are. */
export const AC3_HEADER_SIZE_BYTES = 2

/**
 * The types of a payload of AC-3 (RFC 4184 4.1.1): frames, the first piece of one, with or without the five eighths that can
 * be decoded alone, or another piece. For E-AC-3 (RFC 4598 4.1) any piece is 1.
 */
export const AC3_FRAME_TYPE = { WHOLE: 0, START_OF_FIVE_EIGHTHS: 1, START: 2, OTHER: 3 } as const

export type Ac3Frame = { readonly sync: Ac3SyncFrame; readonly data: Buffer }

/**
 * Cuts the frames of a payload or a unit, which are views.
 * @throws {MalformedError} when there is something else, or the last one is cut off
 */
export function splitAc3Frames(bytes: Buffer): Ac3Frame[] {
  const frames: Ac3Frame[] = []
  for (let rest = bytes; rest.length > 0;) {
    const sync = parseAc3SyncFrame(rest)
    if (sync.sizeBytes > rest.length) {
      throw new MalformedError(`AC-3 frame of ${sync.sizeBytes} bytes, of which ${rest.length} are there`)
    }
    frames.push({ sync, data: rest.subarray(0, sync.sizeBytes) })
    rest = rest.subarray(sync.sizeBytes)
  }
  return frames
}
