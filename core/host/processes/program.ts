import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ProgramMissing } from 'sluice/sdk'
import { childEnvironment } from './child-group.ts'

/**
 * Starts a program in a process group of its own; resolves when it runs.
 * @throws {ProgramMissing}
 */
export async function startProgram(command: string, args: readonly string[]) {
  const child = spawn(command, args, {
    shell: false,
    detached: true,
    windowsHide: true,
    env: childEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  try {
    await once(child, 'spawn')
  } catch (cause) {
    throw new ProgramMissing(command, { cause })
  }
  if (child.pid === undefined) throw new ProgramMissing(command)
  return { child, pid: child.pid }
}
