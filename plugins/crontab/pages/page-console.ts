import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

export type PageConsole = Console<Paths>

export type Plan = Paths['GET /plan/api/list']['answer']['data'][number]
export type PlanStream = Paths['GET /planstream/api/list']['answer']['data'][number]

export const PAGE = '/crontab/plans'
/** The last part of the address of a plan that is not saved yet. */
export const NEW_PLAN = 'new'

/** A Sunday. */
const FIRST_DAY = new Date(2026, 10, 1)

/** The name of a day of the week; 0 is Sunday. */
export function dayName({ language }: PageConsole, day: number, weekday: 'long' | 'short'): string {
  const date = new Date(FIRST_DAY)
  date.setDate(date.getDate() + day)
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { weekday }).format(date)
}

/** `08:00` */
export function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}
