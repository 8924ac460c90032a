/** The first numbers of a playlist: of media (`EXT-X-MEDIA-SEQUENCE`) and of discontinuities. */
export type SequenceNumbers = { readonly msn: number; readonly discontinuity: number }

/** hls.js keeps a list that is as long as the discontinuity number is high. */
const DISCONTINUITY_LIMIT = 10_000

/**
 * The numbers of a stream of which nothing is known: by the wall clock, so that they are higher than those before a
 * restart of the server.
 */
export function numbersByClock(nowMs: number): SequenceNumbers {
  const msn = Math.floor(nowMs / 1000)
  return { msn, discontinuity: msn % DISCONTINUITY_LIMIT }
}
