import type { Format } from '../load/player.ts'
import type { Options, Scenario } from '../options.ts'
import type { BenchServer } from '../servers/bench-server.ts'
import type { Span } from '../statistics.ts'

/** What is measured at once: a server, in one situation. */
export type Case = {
  readonly server: string
  /** How viewers take the stream; RTMP where there are none. */
  readonly format: Format
  /** Of viewers or publishers. */
  readonly count: number
}

/** Values by the names of the scenario's columns; what a server does not tell is left out. */
export type Values = Readonly<Record<string, number | undefined>>

export type Measured = {
  readonly values: Values
  /** When they were measured. */
  readonly span?: Span
}

export type Measurement = Case & {
  readonly scenario: Scenario
  readonly round: number
  /** Of the machine, over the last minute: others may be at work on it. */
  readonly loadAverage: number
  readonly values: Values
}

export type Column = {
  readonly key: string
  readonly title: string
  readonly digits: number
}

/** One kind of measurement. */
export interface ServerScenario {
  readonly name: Exclude<Scenario, 'recordings' | 'units'>
  readonly title: string
  readonly columns: readonly Column[]
  /** The columns of which servers are compared by ratio. */
  readonly compared: readonly string[]
  /** Rounds at most, where they are long. */
  readonly maxRounds?: number
  cases(options: Options): readonly { readonly format: Format; readonly count: number }[]
  measure(server: BenchServer, format: Format, count: number, run: RunOptions): Promise<Measured>
}

export type RunOptions = Options & { readonly sourceFile: string }
