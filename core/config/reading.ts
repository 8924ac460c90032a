import { maskTarget, maskUrl, parseByteSize, parseDuration, parsePortRange } from 'sluice/sdk'
import type { JsonSchema } from './schema.ts'
import { fits } from './validator.ts'

/** The text that replaces a secret that isn't empty. */
export const MASK = '******'

/** A value that was read and fits its schema. */
export type Reading = {
  /** The value as JSON with canonical keys, and durations and sizes as in the file. */
  readonly written: unknown
  /** The value for the program: durations in milliseconds, sizes in bytes, ports by first and last. Frozen. */
  readonly value: unknown
  /** `written`, with secrets masked. */
  readonly shown: unknown
}

const USER_INFO = /(:\/\/)[^/@\s]+@/g
const BARE_SECONDS = /^\d+$/

/** The reading of a value without parts that fits the schema. */
export function plainReading(schema: JsonSchema, written: unknown): Reading {
  const branch = schema.anyOf?.find((choice) => fits(choice, written))
  if (branch !== undefined) return plainReading(branch, written)
  if (typeof written !== 'string') return { written, value: Object.freeze(written), shown: written }
  switch (schema.format) {
    case 'duration':
    case 'auto-duration':
      return {
        written,
        value: parseDuration(written) ?? written,
        shown: BARE_SECONDS.test(written) ? `${written}s` : written,
      }
    case 'byte-size':
      return { written, value: parseByteSize(written), shown: written }
    case 'port-range':
      return { written, value: Object.freeze(parsePortRange(written)), shown: written }
    case 'target-url':
      return { written, value: written, shown: maskTarget(written) }
    case 'alias-target':
    case 'source-url':
    case 'webhook-url':
    case 'database':
    case 'proxy-url':
      return { written, value: written, shown: maskUrl(written) }
    default:
      return { written, value: written, shown: written.replaceAll(USER_INFO, `$1${MASK}@`) }
  }
}

/** A secret as it is shown: masked unless it is empty. */
export function masked(written: unknown): unknown {
  return written === '' ? '' : MASK
}
