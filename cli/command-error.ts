/** An error that ends the program with a line of advice and an exit code. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  /** The exit code of the process; 1 for a failure or a refusal. */
  readonly exitCode: number = 1
}

/** The command line is wrong. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'
  override readonly exitCode = 2
}

/** The server of a command can't be reached. */
export class ServerUnreachable extends CommandError {
  override readonly name = 'ServerUnreachable'
  override readonly exitCode = 3
}
