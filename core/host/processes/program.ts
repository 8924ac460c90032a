import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ProgramMissing, type ProgramInit } from 'sluice/sdk'
import { childEnvironment } from './child-group.ts'

/**
 * Starts a program in a separate process group; resolves when it runs.
 * @throws {ProgramMissing}
 */
export async function startProgram({ command, args, outputs = 0 }: ProgramInit) {
  const child = spawn(command, args, {
    shell: false,
    detached: true,
    windowsHide: true,
    env: childEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe', ...Array<'pipe'>(outputs).fill('pipe')],
  })
  try {
    await once(child, 'spawn')
  } catch (cause) {
    throw new ProgramMissing(command, { cause })
  }
  if (child.pid === undefined) throw new ProgramMissing(command)
  return { child, pid: child.pid, outputs: outputsOf(child) }
}

/** The outputs of a program besides stdout and stderr. */
function outputsOf({ stdio }: ChildProcess): Readable[] {
  const outputs = stdio.slice(3).filter((stream) => stream instanceof Readable)
  for (const output of outputs) output.on('error', () => {})
  return outputs
}
