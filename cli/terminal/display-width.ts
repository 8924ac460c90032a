const graphemes = new Intl.Segmenter()

const ASCII = /^[ -~]*$/u
/** Marks and format characters at the beginning of a text, which take no cell. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u
/** Characters that terminals draw over two cells (Unicode Standard Annex #11, Wide and Fullwidth); the halves of CJK forms are narrow. */
const WIDE =
  /^(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]|\ufe0f/u

/** Returns the number of terminal cells of a printable text. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** Returns the text, or as much of its beginning as fits into `width` cells, with `…` in place of the rest. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let taken = ''
  let left = width - 1
  for (const { segment } of graphemes.segment(text)) {
    left -= graphemeWidth(segment)
    if (left < 0) break
    taken += segment
  }
  return width > 0 ? `${taken}…` : ''
}

function graphemeWidth(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}
