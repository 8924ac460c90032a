/**
 * Tells whether what takes long runs too, and with more rounds: whole matrices, scale, fuzzing. `npm run soak` sets `SOAK`; what the
 * other runs leave out, this one has.
 */
export const isSoak = process.env['SOAK'] === 'true'

/**
 * All of a list in a soak, and else the one whose turn it is: loops over two lists try each of both once, and a soak each of
 * one with each of the other.
 */
export function inTurn<T>(list: readonly T[], turn: number): readonly T[] {
  return isSoak ? list : list.slice(turn % list.length, (turn % list.length) + 1)
}

/** How much more a soak tries of what is drawn at random. */
const SOAK_FACTOR = 20

/** How many cases of what is drawn at random a test tries. */
export function rounds(usual: number): number {
  return isSoak ? usual * SOAK_FACTOR : usual
}
