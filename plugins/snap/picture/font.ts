import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { InvalidRequest } from 'sluice/sdk'

/** The font folders of systems. A request may name only a file below one of these. */
const FONT_FOLDERS = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  '/Library/Fonts',
  '/System/Library/Fonts',
  String.raw`C:\Windows\Fonts`,
]
const FONT_FILE = /\.(?:ttf|otf|ttc)$/iu
/** Fontconfig takes `:` and `=` for properties, and `-` for a size. */
const FONT_NAME = /^[\p{L}\p{N}][\p{L}\p{N} _.]{0,99}$/u
const DEFAULT_FONT = 'Sans'

/** A font in ffmpeg's options: a file, or a name that fontconfig resolves. */
export type Font = { readonly option: 'fontfile' | 'font'; readonly value: string }

/**
 * Finds a font by its name or file.
 * @param named a file below a font folder of the system, or a name; empty is the default
 * @throws {InvalidRequest} when it is neither
 */
export async function fontOf(named: string): Promise<Font> {
  if (named === '') return { option: 'font', value: DEFAULT_FONT }
  if (FONT_NAME.test(named)) return { option: 'font', value: named }
  // Other paths are not accessed, as they may be on a disk that is slow or away.
  if (isFontPath(path.resolve(named))) {
    // A link may lead elsewhere: its target counts, and has to exist.
    const file = await realpath(named).catch(() => '')
    if (FONT_FILE.test(file) && isFontPath(file)) return { option: 'fontfile', value: file }
  }
  throw new InvalidRequest('fontPath must be a font file below a font folder of the system, or the name of a font')
}

function isFontPath(file: string): boolean {
  return FONT_FOLDERS.some((folder) => isBelow(file, folder))
}

function isBelow(file: string, folder: string): boolean {
  const way = path.relative(folder, file)
  return way !== '' && !way.startsWith('..') && !path.isAbsolute(way)
}
