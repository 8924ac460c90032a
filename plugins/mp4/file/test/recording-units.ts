import type { AccessUnit } from 'sluice/sdk'
import { Mp4Recording } from '../mp4-recording.ts'
import { MemoryBytes } from './memory-bytes.ts'

export function openBytes(bytes: Buffer): Promise<Mp4Recording> {
  return Mp4Recording.open(new MemoryBytes(bytes))
}

/** The next units of a recording, up to its end. */
export async function unitsOf(recording: Mp4Recording, most = Infinity): Promise<AccessUnit[]> {
  const found: AccessUnit[] = []
  while (found.length < most) {
    const unit = await recording.next()
    if (unit === undefined) break
    found.push(unit)
  }
  return found
}

/** The decoding time of a unit, in milliseconds. */
export function dtsMs({ dts, track }: AccessUnit): number {
  return Math.round((dts * 1000) / track.timescale)
}
