/** Writes values as the user's language and time zone have them. */
export interface Format {
  /** `1.5 GB`; undefined and NaN are a dash, as in all functions here. */
  bytes(count: number | undefined): string
  /** Bytes a second as bits: `2.1 Mbit/s`. */
  bitrate(bytesPerSecond: number | undefined): string
  number(value: number | undefined, digits?: number): string
  /** `42 %`. */
  percent(value: number | undefined): string
  /** `2 h 3 min`. */
  duration(ms: number | undefined): string
  /** Date and time to the second. */
  time(date: Date | string | number | undefined): string
  /** Date alone. */
  date(date: Date | string | number | undefined): string
}
