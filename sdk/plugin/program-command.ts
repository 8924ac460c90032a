/**
 * A command of the program that a plugin brings along, such as a tool to test it with. It is the default export of
 * `commands/<name>.ts` in the plugin's folder, and is called by `sluice <name>`, without a server and without a config. The file
 * is loaded for `sluice --help`, too, so it imports what it runs by `import()` in `run`.
 */
export type ProgramCommand = {
  /** A line for the usage text of the program, for example `a camera to test the server with`. */
  readonly summary: string
  /**
   * Runs the command with the arguments after its name, `--help` included, to its end, or until a signal ends it. It sets `process.exitCode`
   * when it fails.
   */
  readonly run: (args: readonly string[]) => Promise<void>
}
