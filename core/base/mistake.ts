import { AssertionError } from 'node:assert'
import { withSourcePlaces } from '../build/source-places.ts'

/** Errors that code throws where its author has not meant to. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError, AssertionError] as const

/** Whether an error shows a mistake in the code that threw it, unlike the plain errors by which plugins refuse. */
export function isMistake(error: unknown): boolean {
  return MISTAKES.some((mistake) => error instanceof mistake)
}

/** The lines of an error's stack that name code, by its sources. The message before them may quote anything, also what a client sent. */
export function stackFrames({ stack = '', message }: Error): string[] {
  const messageAt = stack.indexOf(message)
  const frames = messageAt < 0 ? stack : stack.slice(messageAt + message.length)
  return withSourcePlaces(frames)
    .split('\n')
    .filter((line) => line.startsWith('    at '))
}
