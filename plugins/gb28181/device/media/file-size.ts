import { PES_TIMESCALE } from 'sluice/sdk/media'
import type { Clip } from './clip.ts'
import { packSizes } from './program-stream.ts'

const sizesOfClips = new WeakMap<Clip, readonly number[]>()

/** The size of a program stream that plays a clip over and over for a while, in bytes. */
export function programStreamSize(clip: Clip, durationMs: number): number {
  const sizes =
    sizesOfClips.get(clip) ??
    packSizes(
      clip.tracks,
      clip.units.map(({ unit }) => unit),
    )
  sizesOfClips.set(clip, sizes)
  const ticks = (durationMs * PES_TIMESCALE) / 1000
  const rounds = Math.floor(ticks / clip.durationTicks)
  const rest = ticks - rounds * clip.durationTicks
  let [whole, last] = [0, 0]
  for (const [index, size] of sizes.entries()) {
    whole += size
    if (clip.units[index]!.ticks < rest) last += size
  }
  return rounds * whole + last
}
