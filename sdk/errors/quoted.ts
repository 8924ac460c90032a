/** The longest text that a message repeats whole, in UTF-16 code units. */
const MAX_QUOTED_LENGTH = 60

/** Returns a scalar as a message repeats it: a text in quotes, on one line, and without what follows its first 60 characters. */
export function quoted(value: unknown): string {
  if (typeof value !== 'string') return String(value)
  const text = JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
  return `'${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}'`
}
