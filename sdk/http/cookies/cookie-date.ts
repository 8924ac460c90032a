const DELIMITERS = /[\t\x20-\x2f;-@[-`{-~]+/u
const TIME = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/u
const DAY = /^(\d{1,2})(?:\D|$)/u
const MONTH = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/iu
const YEAR = /^(\d{2,4})(?:\D|$)/u
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const FIRST_YEAR = 1601

/** Parses the date of an attribute `Expires` as leniently as RFC 6265 5.1.1 asks; in ms since 1970, undefined where it is none. */
export function parseCookieDate(text: string): number | undefined {
  let time: readonly number[] | undefined
  let day: number | undefined
  let month: number | undefined
  let year: number | undefined
  for (const token of text.split(DELIMITERS)) {
    const isTime = time === undefined && TIME.exec(token)
    const isDay = day === undefined && DAY.exec(token)
    const isMonth = month === undefined && MONTH.exec(token)
    const isYear = year === undefined && YEAR.exec(token)
    if (isTime) time = isTime.slice(1, 4).map(Number)
    else if (isDay) day = Number(isDay[1])
    else if (isMonth) month = MONTHS.indexOf((isMonth[1] ?? '').toLowerCase())
    else if (isYear) year = fullYear(Number(isYear[1]))
  }
  if (time === undefined || day === undefined || month === undefined || year === undefined) return undefined
  const [hour = 0, minute = 0, second = 0] = time
  if (day < 1 || day > 31 || year < FIRST_YEAR || hour > 23 || minute > 59 || second > 59) return undefined
  const dateMs = Date.UTC(year, month, day, hour, minute, second)
  // The date counts over what a month has not.
  return new Date(dateMs).getUTCDate() === day ? dateMs : undefined
}

function fullYear(year: number): number {
  if (year >= 70 && year <= 99) return 1900 + year
  return year <= 69 ? 2000 + year : year
}
