const MAX_NAME_LENGTH = 200
/** What separates folders, and control characters: names with those are refused, or taken for something else. */
const UNSAFE = /[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** What a quoted string would need an escape for, which not all clients undo, and `%`, which some take for one. */
const NOT_PLAIN = /[^\x20-\x7e]|["%\\]/gu
/** The ending by which a file is opened. */
const ENDING = /\.[\w-]{1,16}$/u
/** What `encodeURIComponent` leaves, and RFC 8187 does not. */
const NOT_ATTRIBUTE = /['()*]/gu

/**
 * The `Content-Disposition` that has a client save a body as a file (RFC 6266), under a name of any characters: as it is for
 * those that know RFC 8187, and with `_` for what is not ASCII. Separators of folders are `_` in both. A long name is cut before
 * its ending.
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
