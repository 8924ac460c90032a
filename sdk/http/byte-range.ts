/** Bytes from the first up to the last one. */
export type ByteRange = { readonly first: number; readonly last: number }

const SINGLE_RANGE = /^bytes[ \t]*=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)[ \t]*$/iu

/**
 * The part of a body that a `Range` header asks for (RFC 9110 14.1.2 and 14.2).
 * @returns undefined for the whole: there is no header, or it is ignored, as for several parts, another unit, or a range that
 *   is not valid; null where the body has nothing of it
 */
export function parseByteRange(header: string | undefined, sizeBytes: number): ByteRange | undefined | null {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header ?? '') ?? []
  if (first === '') {
    if (last === '') return undefined
    const suffixBytes = Math.min(Number(last), sizeBytes)
    return suffixBytes === 0 ? null : { first: sizeBytes - suffixBytes, last: sizeBytes - 1 }
  }
  const end = last === '' ? Infinity : Number(last)
  if (end < Number(first)) return undefined
  return Number(first) < sizeBytes ? { first: Number(first), last: Math.min(end, sizeBytes - 1) } : null
}
