/** The longest query whose values are looked for; with a longer one, a text is not shown at all. */
const MAX_QUERY_LENGTH = 4096
/** The most parameters of a query whose values are looked for; with more, a text is not shown at all. */
const MAX_PARAMETERS = 64
/** The longest text that is searched; a longer one is not shown at all. */
const MAX_TEXT_LENGTH = 8 * 1024
/** The least length of a value that is hidden inside longer words; a shorter one is hidden only where it stands alone. */
const MIN_LENGTH_IN_WORDS = 6

const HIDDEN = '***'
const WORD = /[\p{L}\p{N}_]/u

/** The place of a value in a text: `start` is its first character, `end` the one after its last. */
type Span = { readonly start: number; readonly end: number }

/**
 * Returns a text of others about a request, which may quote it, with the values of the query hidden. Values are found as they
 * were sent, decoded, and encoded again, in upper or lower case; each value of a repeated parameter is.
 */
export function withoutQueryValues(text: string, query: string): string {
  if (query === '' || text === '') return text
  const parameters = query.split('&', MAX_PARAMETERS + 1)
  if (query.length > MAX_QUERY_LENGTH || parameters.length > MAX_PARAMETERS)
    return '(not shown, as the query is too long)'
  if (text.length > MAX_TEXT_LENGTH) return `(not shown, as it has ${text.length} characters)`
  const searched = folded(text)
  const forms = new Set(parameters.flatMap(formsOf).map(folded))
  forms.delete('')
  const spans = [...forms].flatMap((form) => spansOf(form, searched))
  let shown = ''
  let end = 0
  for (const span of merged(spans)) {
    shown += text.slice(end, span.start) + HIDDEN
    end = span.end
  }
  return shown + text.slice(end)
}

/** The forms in which the value of a parameter may be written; a parameter without `=` counts as a value. */
function formsOf(parameter: string): string[] {
  const sent = parameter.slice(parameter.indexOf('=') + 1)
  const [[, value = ''] = []] = new URLSearchParams(`v=${sent}`)
  return [sent, ...[value, unescaped(sent)].flatMap((text) => [text, ...encodings(text)])]
}

function encodings(value: string): string[] {
  return [
    encodeURIComponent(value.toWellFormed()),
    String(new URLSearchParams([['', value]])).slice(1),
    JSON.stringify(value).slice(1, -1),
  ]
}

/** Decodes a percent-encoded text; unlike in a form, `+` stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The text with its ASCII letters in lower case, which keeps each character in its place. */
function folded(text: string): string {
  return text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase())
}

function spansOf(form: string, text: string): Span[] {
  const spans: Span[] = []
  for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1)) {
    const end = start + form.length
    const inWord = WORD.test(text.charAt(start - 1)) || WORD.test(text.charAt(end))
    if (form.length >= MIN_LENGTH_IN_WORDS || !inWord) spans.push({ start, end })
  }
  return spans
}

/** The spans in order, with those that overlap joined. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last === undefined || span.start >= last.end) result.push(span)
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
  }
  return result
}
