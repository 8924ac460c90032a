import type { ProcessEnd, Processes, ProgramInit } from '../plugin/processes.ts'
import { PipedProgram } from './piped-program.ts'

/** A program that gets all of its input at once, and has a short output. */
export type ProgramRunInit = Omit<ProgramInit, 'outputs'> & {
  /** The bytes for its stdin; none by default. */
  readonly input?: Uint8Array
  /** A program that writes more to stdout is ended. */
  readonly maxOutputBytes: number
}

/** The stdout of a program, and its end. */
export type ProgramResult = ProcessEnd & { readonly output: Buffer }

/**
 * Runs a program to its end, for example to make a picture of a keyframe. A program that is ended by the signal has a result,
 * too: its output by then.
 * @throws {ProgramMissing} naming the program, when it is not there or can't be run
 * @throws {RangeError} when it writes more than `maxOutputBytes`
 */
export async function runProgram(
  processes: Pick<Processes, 'spawn'>,
  { input, maxOutputBytes, ...init }: ProgramRunInit,
): Promise<ProgramResult> {
  const pieces: Buffer[] = []
  let leftBytes = maxOutputBytes
  const program = await PipedProgram.begin(processes, {
    ...init,
    output(bytes) {
      leftBytes -= bytes.length
      if (leftBytes < 0) throw new RangeError(`the program writes more than ${maxOutputBytes} bytes`)
      pieces.push(bytes)
    },
  })
  if (input === undefined) program.stdin.end()
  else program.stdin.end(input)
  const { by, error, code, signal } = await program.done
  if (by === 'output') throw error
  return { output: Buffer.concat(pieces), code, signal }
}
