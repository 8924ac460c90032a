const MAX_NAME_LENGTH = 200
/** Separators of folders, and control characters: clients refuse names with those, or take them for something else. */
const UNSAFE = /[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Characters that a quoted string escapes, which not all clients undo, and `%`, which some clients decode. */
const NOT_PLAIN = /[^\x20-\x7e]|["%\\]/gu
/** The ending by which a file is opened. */
const ENDING = /\.[\w-]{1,16}$/u
/** Characters that `encodeURIComponent` leaves as they are, and RFC 8187 does not allow. */
const NOT_ATTRIBUTE = /['()*]/gu

/**
 * Returns the `Content-Disposition` that has a client save a body as a file (RFC 6266), under a name of any characters: in
 * full for clients that know RFC 8187, and with `_` for other characters than those of ASCII. Separators of folders are `_`
 * in both. A long name is cut before its ending.
 */
export function attachmentDisposition(fileName: string): string {
  const [ending = ''] = ENDING.exec(fileName) ?? []
  const stem = Array.from(fileName.slice(0, fileName.length - ending.length).toWellFormed())
  const name = (stem.slice(0, MAX_NAME_LENGTH - ending.length).join('') + ending).replace(UNSAFE, '_')
  const encoded = encodeURIComponent(name).replace(NOT_ATTRIBUTE, (character) => percentEncoded(character))
  return `attachment; filename="${name.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
