import { SluiceError } from 'sluice/sdk'

/** The place where a value was written. A place without lines (an environment variable, a plugin's defaults) has line 0. */
export type Place = {
  /** File as it was named, name of the environment variable, or `plugin <name>`. */
  readonly file: string
  /** The line, from 1. */
  readonly line: number
  /** The column, from 1. */
  readonly column: number
}

/** One error in the config. */
export type Problem = Place & {
  /** Dotted path that begins with the section; empty when the file as a whole is wrong. */
  readonly key: string
  /** The text never contains the value of a secret. */
  readonly message: string
}

/** All errors in the config; the message has one line for each problem, and no secrets. */
export class ConfigError extends SluiceError {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const sorted = problems.toSorted(byPlace)
    super('CONFIG', 400, sorted.map(problemLine).join('\n'))
    this.problems = sorted
  }
}

function byPlace(left: Problem, right: Problem): number {
  if (left.file !== right.file) return left.file < right.file ? -1 : 1
  return left.line - right.line || left.column - right.column
}

function problemLine({ file, line, column, key, message }: Problem): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`
  return key === '' ? `${place}: ${message}` : `${place}: ${key}: ${message}`
}
