import { MalformedError } from '../errors.ts'

/** Returns what `parse` makes of an input, such as bytes; undefined when there is none, or when it is malformed. */
export function tryParse<Input, Value>(parse: (input: Input) => Value, input: Input | undefined): Value | undefined {
  if (input === undefined) return undefined
  try {
    return parse(input)
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}
