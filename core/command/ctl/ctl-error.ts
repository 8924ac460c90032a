/** What the exit codes of `sluice ctl` say: the server refused or an answer was bad, the command line is wrong, no server. */
const EXIT_CODES = { failed: 1, usage: 2, unreachable: 3 } as const

/** Ends `sluice ctl` with a line that says what to do; the kind decides the exit code. */
export class CtlError extends Error {
  override readonly name = 'CtlError'
  readonly exitCode: number

  constructor(kind: keyof typeof EXIT_CODES, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = EXIT_CODES[kind]
  }
}
