/** What is wrong with a value, a line each; `at` says where it is. */
export type Check = (value: unknown, at: string) => readonly string[]

/** A field that may be missing. */
type Optional = { readonly optional: Check }
type Fields = Readonly<Record<string, Check | Optional>>

/** The types of api.md, by its letters: texts. */
export const s: Check = typeCheck('a string', (value) => typeof value === 'string')
export const b: Check = typeCheck('a boolean', (value) => typeof value === 'boolean')
export const i: Check = typeCheck('an integer', Number.isInteger)
export const u: Check = typeCheck('an integer of at least 0', (value) => Number.isInteger(value) && Number(value) >= 0)
export const f: Check = typeCheck('a number', Number.isFinite)
/** 64 bits: digits in a text. */
export const I: Check = typeCheck('a decimal string', matches(/^-?\d+$/u))
export const U: Check = typeCheck('a decimal string of at least 0', matches(/^\d+$/u))
/** RFC 3339. */
export const ts: Check = typeCheck('a time', matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u))
export const dur: Check = typeCheck('a duration', matches(/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/u))
/** JSON in a text. */
export const json: Check = (value, at) => {
  try {
    JSON.parse(typeof value === 'string' ? value : '')
    return []
  } catch {
    return [`${at} must be the text of JSON, not ${JSON.stringify(value)}`]
  }
}
/** Anything at all. */
export const any: Check = () => []

export function exactly(expected: unknown): Check {
  return typeCheck(JSON.stringify(expected), (value) => JSON.stringify(value) === JSON.stringify(expected))
}

export function list(item: Check): Check {
  return (value, at) =>
    Array.isArray(value) ? value.flatMap((each, index) => item(each, `${at}[${index}]`)) : [`${at} must be a list`]
}

/** A list that has something in it, so that its items are looked at. */
export function some(item: Check): Check {
  return (value, at) => (Array.isArray(value) && value.length === 0 ? [`${at} is empty`] : list(item)(value, at))
}

/** `{K:V}` of api.md. */
export function map(item: Check): Check {
  return (value, at) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, each]) => item(each, `${at}.${key}`))
      : [`${at} must be an object`]
}

export function orNull(check: Check): Check {
  return (value, at) => (value === null ? [] : check(value, at))
}

export function optional(check: Check): Optional {
  return { optional: check }
}

/** An object with these fields and no others. */
export function fields(expected: Fields): Check {
  return (value, at) => {
    if (!isObject(value)) return [`${at} must be an object, not ${JSON.stringify(value)}`]
    const extra = Object.keys(value).filter((key) => !Object.hasOwn(expected, key))
    const inner = Object.entries(expected).flatMap(([key, check]) => {
      if (Object.hasOwn(value, key)) return ('optional' in check ? check.optional : check)(value[key], `${at}.${key}`)
      return 'optional' in check ? [] : [`${at}.${key} is missing`]
    })
    return [...extra.map((key) => `${at}.${key} is in no table`), ...inner]
  }
}

function typeCheck(what: string, isRight: (value: unknown) => boolean): Check {
  return (value, at) => (isRight(value) ? [] : [`${at} must be ${what}, not ${JSON.stringify(value)}`])
}

function matches(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && pattern.test(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
