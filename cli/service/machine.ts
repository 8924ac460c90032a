import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { CommandError } from '../command-error.ts'

/** A folder that exists while systemd is the first process (sd_booted). */
const BOOTED = '/run/systemd/system'

/** The outcome of a program that was run. */
export type ProgramResult = { readonly isDone: boolean; readonly stdout: string; readonly stderr: string }

/** The machine that a service is installed on. */
export type Machine = {
  readonly isRoot: boolean
  /** True when systemd runs the machine. */
  readonly isBooted: boolean
  /** The folder with `etc` and `var` for a service of the machine. */
  readonly root: string
  /** The config folder of the user, for a service of the user's own. */
  readonly configHome: string
  /** Runs a program of the system and waits for its end. */
  readonly run: (program: string, args: readonly string[]) => ProgramResult
}

/** The machine that this process runs on. */
export function thisMachine(env: NodeJS.ProcessEnv): Machine {
  return {
    isRoot: process.getuid?.() === 0,
    isBooted: process.platform === 'linux' && existsSync(BOOTED),
    root: '/',
    configHome: env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config'),
    run(program, args) {
      const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
      return { isDone: status === 0, stdout: stdout ?? '', stderr: error?.message ?? stderr }
    },
  }
}

/**
 * Runs systemctl.
 * @throws {CommandError} when it fails
 */
export function systemctl(machine: Machine, isOwn: boolean, ...args: readonly string[]): void {
  const words = [...(isOwn ? ['--user'] : []), ...args]
  const { isDone, stderr } = machine.run('systemctl', words)
  if (isDone) return
  const advice = isOwn ? '; log in as that user, or let its services run without: loginctl enable-linger' : ''
  throw new CommandError(`systemctl ${words.join(' ')} failed: ${stderr.trim() || 'it did not say why'}${advice}`)
}
