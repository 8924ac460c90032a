import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { keep } from '../peers/lifetime.ts'
import { PeerProcess } from '../peers/process.ts'
import { startCommand } from './command.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url))

/** How a run of `sluice ctl` ended. */
export type CtlRun = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output as JSON; undefined when nothing was written. */
  readonly json: unknown
}

export type CtlOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** Standard input; nothing unless given. */
  readonly input?: string
}

/** A person who uses `sluice ctl` for one server, with a home of their own. */
export class CtlUser {
  /** Has the tokens of logins. */
  readonly configFolder = mkdtempSync(path.join(tmpdir(), 'sluice-ctl-'))
  readonly #server: string

  constructor(server: string) {
    this.#server = server
    keep({ close: () => rmSync(this.configFolder, { recursive: true, force: true }) })
  }

  /** Runs it as a script does. */
  async run(args: readonly string[], { env, input = '' }: CtlOptions = {}): Promise<CtlRun> {
    const command = startCommand(['ctl', ...args], { env: { ...this.#env, ...env }, input })
    const { code } = await command.exit
    const stdout = command.stdout.toString()
    const json: unknown = stdout === '' ? undefined : JSON.parse(stdout)
    return { code, stdout, stderr: command.stderr, json }
  }

  /** Starts it at a terminal, which is 100 cells wide; a test types to it. */
  atTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}): PeerProcess {
    return new PeerProcess('script', ['-qfec', `stty cols 100; exec ${shellLine(args)}`, '/dev/null'], {
      env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...this.#env, ...env },
      isTypedTo: true,
    })
  }

  /** Starts it in a shell, which hands its output on as `rest` of the line says. */
  inShell(args: readonly string[], rest: string): PeerProcess {
    const env = { PATH: process.env['PATH'], ...this.#env }
    return new PeerProcess('sh', ['-c', `${shellLine(args)} ${rest}`], { env })
  }

  get #env(): Readonly<Record<string, string>> {
    return { SLUICE_SERVER: this.#server, SLUICE_TOKEN: '', XDG_CONFIG_HOME: this.configFolder }
  }
}

/** The arguments have no quotes. */
function shellLine(args: readonly string[]): string {
  return [process.execPath, PROGRAM, 'ctl', ...args].map((word) => `'${word}'`).join(' ')
}
