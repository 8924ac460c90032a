import { AssertionError } from 'node:assert'
import { withSourcePlaces } from '../build/source-places.ts'

/** The errors that JavaScript and assertions throw for a mistake in the code. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError, AssertionError] as const

/** True for an error that shows a mistake in the code that threw it, unlike the plain errors by which plugins refuse. */
export function isMistake(error: unknown): boolean {
  return MISTAKES.some((mistake) => error instanceof mistake)
}

/** The lines of an error's stack that name code, by its sources. The message before them is left out, as it may quote a client. */
export function stackFrames({ stack = '', message }: Error): string[] {
  const messageAt = stack.indexOf(message)
  const frames = messageAt < 0 ? stack : stack.slice(messageAt + message.length)
  return withSourcePlaces(frames)
    .split('\n')
    .filter((line) => line.startsWith('    at '))
}
