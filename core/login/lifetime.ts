import { InvalidRequest, parseDuration } from 'sluice/sdk'

const DAY_MS = 86_400_000
const MAX_DAYS = 3650
const DAYS = /^(\d{1,4})d$/u

/**
 * Parses the time that a token is to be valid, in milliseconds: `90d`, or a duration as in the config (`12h`).
 * @throws {InvalidRequest} when the text is neither, or the time is zero
 */
export function parseLifetime(text: string): number {
  const days = Number(DAYS.exec(text)?.[1] ?? 0)
  const lifetimeMs = days > 0 && days <= MAX_DAYS ? days * DAY_MS : (parseDuration(text) ?? 0)
  if (lifetimeMs <= 0) throw new InvalidRequest(`"${text}" is no time to expire in; write 90d or 12h`)
  return lifetimeMs
}
