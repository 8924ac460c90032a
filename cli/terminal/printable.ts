/** Characters that a terminal may obey, and those that reorder or break a line. Joiners are part of words and emojis. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu

/** Returns a text of one line that is safe to write to a terminal: characters that it may obey become escapes such as `\u001b`. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escaped)
}

/** Does as {@link printable} for texts of several lines. The escapes are JSON's, so JSON stays the same JSON. */
export function printableLines(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => (character === '\n' ? character : escaped(character)))
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
