/** Texts that a plain scalar may be: everything else is quoted. Words that YAML 1.1 took for others are, too. */
const PLAIN = /^[a-z_/][\w./-]*$/iu
const OTHER_MEANING = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/iu
/** Characters that JSON leaves as they are, and YAML does not print. */
const UNPRINTED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu

/** Writes a value of JSON as YAML, in block style, with a line break at its end. */
export function yamlText(value: unknown): string {
  return `${lines(value).join('\n')}\n`
}

function lines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => lines(item).map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`)))
  }
  if (isMap(value)) {
    const entries = Object.entries(value).filter(([, one]) => one !== undefined)
    if (entries.length > 0) return entries.flatMap(([key, one]) => entryLines(scalar(key), one))
  }
  return [isMap(value) ? '{}' : Array.isArray(value) ? '[]' : scalar(value)]
}

function entryLines(key: string, value: unknown): string[] {
  const inner = lines(value)
  const isBlock = (Array.isArray(value) && value.length > 0) || (isMap(value) && inner[0] !== '{}')
  return isBlock ? [`${key}:`, ...inner.map((line) => `  ${line}`)] : [`${key}: ${inner[0] ?? ''}`]
}

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  if (PLAIN.test(value) && !OTHER_MEANING.test(value)) return value
  return JSON.stringify(value).replaceAll(UNPRINTED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
