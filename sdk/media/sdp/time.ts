import { joinWords, parseDecimal, splitWords } from './line.ts'

/**
 * When a session takes place (RFC 8866 5.9, `t=`), in seconds since 1900, or since 1970 where GB/T 28181 asks for a
 * recording. With 0 it has no end, and twice 0 is always.
 */
export type SdpTime = { readonly startSeconds: number; readonly stopSeconds: number }

/** The time of a description without `t=`: always. */
export const ALWAYS: SdpTime = { startSeconds: 0, stopSeconds: 0 }

/** Parses the value of a `t=` line; a word that is no number is 0. */
export function parseTime(line: string): SdpTime {
  const [start, stop] = splitWords(line, 2).map((word) => parseDecimal(word, Number.MAX_SAFE_INTEGER))
  return { startSeconds: start ?? 0, stopSeconds: stop ?? 0 }
}

/** The value of a `t=` line. */
export function serializeTime({ startSeconds, stopSeconds }: SdpTime): string {
  return joinWords([startSeconds, stopSeconds])
}
