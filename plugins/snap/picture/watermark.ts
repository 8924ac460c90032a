import { InvalidRequest } from 'sluice/sdk'
import { fontOf } from './font.ts'

/** A text in a picture, from its upper left corner on; sizes are in pixels. */
export type Watermark = {
  readonly text: string
  readonly fontPath: string
  readonly fontColor: string
  readonly fontSize: number
  /** The space between lines. */
  readonly fontSpacing: number
  readonly offsetX: number
  readonly offsetY: number
}

const MAX_WATERMARK_LENGTH = 500
/** The most pixels of all characters, in squares of the font's size: ffmpeg draws each character once, and keeps it until it ends. */
const MAX_GLYPH_PIXELS = 50_000_000
/** The characters that no font draws, except for the end of a line; an argument of a program can't contain a NUL. */
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f]/u
const COLOR = /^rgba?\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(?:,\s*(0|1|[01]?\.\d{1,4})\s*)?\)$/u

/**
 * Returns the filter of ffmpeg that draws a watermark; undefined when there is no text.
 * @throws {InvalidRequest} when a part of it can't be used
 */
export async function watermarkFilter(watermark: Watermark): Promise<string | undefined> {
  const { text, fontPath, fontColor, fontSize, fontSpacing, offsetX, offsetY } = watermark
  if (text === '') return undefined
  if (text.length > MAX_WATERMARK_LENGTH || CONTROLS.test(text) || !text.isWellFormed()) {
    throw new InvalidRequest(`watermark must be a text of at most ${MAX_WATERMARK_LENGTH} characters`)
  }
  if (new Set(text).size * fontSize ** 2 > MAX_GLYPH_PIXELS) throw new InvalidRequest('the watermark is too large')
  const font = await fontOf(fontPath)
  const options = {
    [font.option]: font.value,
    text,
    // Expansions in the text, such as %{localtime}, are off.
    expansion: 'none',
    fontcolor: colorOf(fontColor),
    fontsize: String(fontSize),
    line_spacing: String(Math.round(fontSpacing)),
    x: String(offsetX),
    y: String(offsetY),
  }
  return `drawtext=${Object.entries(options)
    .map(([name, value]) => `${name}=${filterValue(value)}`)
    .join(':')}`
}

/**
 * Escapes a value of an option in a filter graph: once for the filter, which splits its options at `:`, and again for the graph, which
 * splits its filters at `,` and `;`. A backslash makes the next character literal, and so precedes all characters but letters, digits and
 * those outside ASCII.
 */
function filterValue(value: string): string {
  return escaped(escaped(value))
}

function escaped(text: string): string {
  return text.replaceAll(/[\u0000-\u007f]/gu, (character) =>
    /[\da-z]/iu.test(character) ? character : `\\${character}`,
  )
}

/** @throws {InvalidRequest} */
function colorOf(text: string): string {
  const [, ...given] = COLOR.exec(text.trim()) ?? []
  const [red = 256, green = 256, blue = 256, opacity = 1] = given.map((part) => (part === undefined ? 1 : Number(part)))
  if ([red, green, blue].some((part) => part > 255) || opacity > 1) {
    throw new InvalidRequest('fontColor must be rgba(red,green,blue,opacity), as rgba(255,165,0,1)')
  }
  const digits = [red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')
  return `0x${digits}@${opacity}`
}
