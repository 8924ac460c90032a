import { Type } from 'typebox'
import { MAX_DURATION_MS, parseDuration } from '../config/duration.ts'
import { InvalidRequest } from '../errors/stream-errors.ts'

/**
 * A stream path in an operation, checked and without slashes around it. As the last part of the operation's path it takes all
 * of the rest, with slashes; where it is `Type.Optional`, an empty one is left out.
 */
export function StreamPath() {
  return Type.Unsafe<string>({ type: 'string', format: 'stream-path' })
}

/** A pattern of stream paths, checked as {@link StreamPath}; each `*` in it stands for any text, so that it names several streams. */
export function StreamPaths() {
  return Type.Unsafe<string>({ type: 'string', format: 'stream-paths' })
}

/**
 * A duration in a request, in milliseconds for {@link parseDurationText}: with its unit (`1m`, `30s`), or a number of seconds, as text or
 * number, which may have a fraction.
 */
export function DurationText() {
  return Type.Unsafe<string | number>({ type: ['number', 'string'] })
}

const SECONDS = /^\d{1,10}(?:\.\d{1,20})?$/u

/**
 * Reads a {@link DurationText}, in milliseconds.
 * @throws {InvalidRequest} naming the field, when it is none
 */
export function parseDurationText(name: string, given: string | number): number {
  const text = String(given)
  const durationMs = SECONDS.test(text) ? Math.round(Number(text) * 1000) : parseDuration(text)
  if (durationMs === undefined || durationMs > MAX_DURATION_MS) {
    throw new InvalidRequest(`${name} must be a duration, as 30s or 1m, or a number of seconds`)
  }
  return durationMs
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
