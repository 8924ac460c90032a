/** Ends the program with a line that says what to do, and an exit code. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  /** Of the process; 1 is what failed or was refused. */
  readonly exitCode: number = 1
}

/** The command line is wrong. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'
  override readonly exitCode = 2
}

/** The server that was to be asked can't be reached. */
export class ServerUnreachable extends CommandError {
  override readonly name = 'ServerUnreachable'
  override readonly exitCode = 3
}
