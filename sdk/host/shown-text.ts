import { maskUrls } from '../stream/mask-url.ts'

/** The most fields that are shown of a description. */
const MAX_FIELDS = 32
/** The longest text that is shown, in UTF-16 code units; a longer one is cut. */
const MAX_TEXT_LENGTH = 500

/** A text of a plugin as operators may see it: without the secrets of addresses in it, and cut. */
export function shownText(text: string): string {
  return maskUrls(text).slice(0, MAX_TEXT_LENGTH)
}

/** A description as operators may see it: bounded, and without secrets. */
export function shownDescription(description: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const fields = Object.entries(description).slice(0, MAX_FIELDS)
  return Object.fromEntries(fields.map(([name, value]) => [shownText(name), shownText(value)]))
}
