/** Parses the list of methods of header `Public` or `Allow` (RFC 2326 12.28, 12.4), in upper case. */
export function parseMethods(text: string): ReadonlySet<string> {
  return new Set(
    text
      .toUpperCase()
      .split(/[,\s]+/u)
      .filter((method) => method !== ''),
  )
}

/** Writes the list. */
export function serializeMethods(methods: Iterable<string>): string {
  return [...methods].join(', ')
}
