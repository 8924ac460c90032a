import { MalformedError } from '../errors.ts'

/** Returns what `parse` makes of the bytes; undefined when there are none, or when they are malformed. */
export function tryParse<Value>(parse: (bytes: Buffer) => Value, bytes: Buffer | undefined): Value | undefined {
  if (!bytes) return undefined
  try {
    return parse(bytes)
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}
