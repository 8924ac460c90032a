const TOKEN = /^[\w!#$%&'*+.^`|~/:[\]@?-]+$/u

/** Splits at a character, though not within quotes, and trims the parts; empty ones are left out. */
export function splitUnquoted(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') quoted = !quoted
    else if (quoted && char === '\\') at += 1
    else if (!quoted && char === separator) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** The text that a quoted string stands for (RFC 9110 5.6.4), or the text itself where it is not quoted. */
export function unquote(text: string): string {
  if (!text.startsWith('"')) return text
  const inner = text.length > 1 && text.endsWith('"') ? text.slice(1, -1) : text.slice(1)
  return inner.replaceAll(/\\(.)/gu, '$1')
}

/** A quoted string. */
export function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`
}

/** The text as it is where it can stand without quotes, else quoted. */
export function quoteIfNeeded(text: string): string {
  return TOKEN.test(text) ? text : quote(text)
}
