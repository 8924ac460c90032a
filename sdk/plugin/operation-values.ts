import { Type } from 'typebox'

/**
 * A stream path in an operation, checked and without slashes around it. As the last part of the operation's path it takes all
 * that is left, with slashes; where it is `Type.Optional`, an empty one is left out.
 */
export function StreamPath() {
  return Type.Unsafe<string>({ type: 'string', format: 'stream-path' })
}

/**
 * An integer that may need more than 32 bits, such as a count of bytes or a time in milliseconds: a decimal string in answers,
 * a string or a number in requests, and a number for the handler, to 2^53.
 */
export function Int64() {
  return Type.Unsafe<number>({
    type: 'integer',
    format: 'int64',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  })
}

/** Bytes as they are, in an answer that has a `contentType`. */
export function Bytes() {
  return Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' })
}
