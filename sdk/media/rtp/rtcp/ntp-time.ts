/** Seconds from 1900, where NTP begins, to 1970. */
const UNIX_EPOCH_SECONDS = 2_208_988_800
/** Seconds after which NTP starts again at zero, as it does in 2036. */
const ERA_SECONDS = 2 ** 32
/** Seconds from this on are taken as those of the era before 2036, lower ones as those after it (RFC 4330 3). */
const FIRST_ERA_FROM_SECONDS = 2 ** 31
const FRACTION_RANGE = 2 ** 32
const SHORT_FRACTION_RANGE = 2 ** 16
/** More than the distance of two doubles up to the year 2109, and a thirtieth of a step of the short form. */
const STEP_MS = 2 ** -11

/**
 * Milliseconds since the Unix epoch, from the year 1968 to 2104, of an NTP time (RFC 3550 4) with 32 bits of seconds and 32
 * of their fraction; undefined for 0, the time of a sender without a clock. It is exact to a microsecond, and `shortNtpTime`
 * returns exactly the bits of the NTP time.
 */
export function ntpToUnixMs(seconds: number, fraction: number): number | undefined {
  if (seconds === 0 && fraction === 0) return undefined
  const eraSeconds = seconds >= FIRST_ERA_FROM_SECONDS ? 0 : ERA_SECONDS
  const ms = (seconds + eraSeconds - UNIX_EPOCH_SECONDS) * 1000 + (fraction * 1000) / FRACTION_RANGE
  const steps = shortNtpTime(ms) - shortOf(seconds, fraction)
  if (steps === 0) return ms
  // The nearest double lies on the other side of a step of the short form.
  return steps === 1 || steps < -1 ? ms - STEP_MS : ms + STEP_MS
}

/** The 32 bits of seconds of an NTP time; the other way round than {@link ntpToUnixMs}. */
export function ntpSeconds(unixMs: number): number {
  return (Math.floor(unixMs / 1000) + UNIX_EPOCH_SECONDS) % ERA_SECONDS
}

/** The 32 bits of the fraction of a second of an NTP time. */
export function ntpFraction(unixMs: number): number {
  return Math.floor((msOfSecond(unixMs) * FRACTION_RANGE) / 1000)
}

/** The middle 32 bits of an NTP time, by which reports name times and count delays: units of 1/65536 s (RFC 3550 4). */
export function shortNtpTime(unixMs: number): number {
  return shortOf(ntpSeconds(unixMs), ntpFraction(unixMs))
}

/** A delay in units of 1/65536 s; at most what 32 bits hold, some 18 hours (RFC 3550 6.4.1). */
export function shortNtpDelay(delayMs: number): number {
  return Math.min(Math.max(Math.round((delayMs * SHORT_FRACTION_RANGE) / 1000), 0), 0xffffffff)
}

function shortOf(seconds: number, fraction: number): number {
  return (seconds % SHORT_FRACTION_RANGE) * SHORT_FRACTION_RANGE + Math.floor(fraction / SHORT_FRACTION_RANGE)
}

function msOfSecond(unixMs: number): number {
  return unixMs - Math.floor(unixMs / 1000) * 1000
}
