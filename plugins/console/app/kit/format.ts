import type { Format } from 'sluice/sdk/console'
import type { Language } from './language.ts'

const DASH = '–'
const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
const BIT_UNITS = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s']
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' }
/** Seconds of each unit, the greatest first. */
const SPANS = [
  [86_400, 'd', '天'],
  [3600, 'h', '小时'],
  [60, 'min', '分'],
  [1, 's', '秒'],
] as const

/** The formats of a language. */
export function formatOf(language: Language): Format {
  const locale = LOCALES[language]
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const dateAlone = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const number = (value: number | undefined, digits = 0) =>
    isNumber(value) ? value.toLocaleString(locale, { maximumFractionDigits: digits }) : DASH
  const scaled = (value: number | undefined, step: number, units: readonly string[]) => {
    if (!isNumber(value)) return DASH
    const power = value < step ? 0 : Math.min(Math.floor(Math.log(value) / Math.log(step)), units.length - 1)
    const shown = value / step ** power
    return `${number(shown, power === 0 || shown >= 100 ? 0 : 1)} ${units[power]}`
  }
  return {
    bytes: (count) => scaled(count, 1024, BYTE_UNITS),
    bitrate: (bytesPerSecond) => scaled(isNumber(bytesPerSecond) ? bytesPerSecond * 8 : undefined, 1000, BIT_UNITS),
    number,
    percent: (value) => (isNumber(value) ? `${number(value, value < 10 ? 1 : 0)} %` : DASH),
    duration: (ms) => (isNumber(ms) ? durationText(Math.max(0, Math.floor(ms / 1000)), language) : DASH),
    time: (date) => formatted(dateTime, date),
    date: (date) => formatted(dateAlone, date),
  }
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value)
}

/** The two greatest units. */
function durationText(seconds: number, language: Language): string {
  const first = SPANS.findIndex(([length]) => seconds >= length)
  if (first === -1) return `0 ${language === 'zh' ? '秒' : 's'}`
  let rest = seconds
  const parts = SPANS.slice(first, first + 2).flatMap(([length, en, zh]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count === 0 ? [] : [`${count} ${language === 'zh' ? zh : en}`]
  })
  return parts.join(' ')
}

function formatted(format: Intl.DateTimeFormat, date: Date | string | number | undefined): string {
  if (date === undefined || date === '') return DASH
  const time = new Date(date)
  // The year 1 stands for no time in answers of the family.
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() <= 1 ? DASH : format.format(time)
}
