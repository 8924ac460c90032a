import { maskUrls } from '../stream/mask-url.ts'

/** The most fields of a description that are shown. */
const MAX_FIELDS = 32
/** The longest text that is shown, in UTF-16 code units; longer ones are cut. */
const MAX_TEXT_LENGTH = 500

/** A text for operators: cut, and with the user information and queries of the addresses in it masked. */
export function shownText(text: string): string {
  return maskUrls(text).slice(0, MAX_TEXT_LENGTH)
}

/** A description for operators: bounded, and without secrets. */
export function shownDescription(description: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const fields = Object.entries(description).slice(0, MAX_FIELDS)
  return Object.fromEntries(fields.map(([name, value]) => [shownText(name), shownText(value)]))
}
