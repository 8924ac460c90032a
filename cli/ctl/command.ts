import type { ApiClient } from './api-client.ts'
import type { Output } from './output.ts'
import type { Prompt } from '../terminal/prompt.ts'
import type { TokenStore } from './token-store.ts'

/** An option of a command; those with a `value` take one. */
export type CommandOption = {
  readonly summary: string
  /** The name of the value in the help, for example `ROLE`; without it, the option is a switch. */
  readonly value?: string
}

/** The input and the output of a run of a command. */
export type CommandContext = {
  readonly api: ApiClient
  /** The arguments, as many as the command has. */
  readonly args: readonly string[]
  readonly options: CommandOptions
  readonly output: Output
  readonly prompt: Prompt
  readonly tokens: TokenStore
}

/** The options that were given: a text, or `true` for switches. */
export type CommandOptions = Readonly<Record<string, string | boolean | undefined>>

/** A command of `sluice ctl`. */
export type Command = {
  /** The name: one or two words. */
  readonly name: string
  /** The names of its arguments; those in brackets may be left out. */
  readonly args?: readonly string[]
  readonly summary: string
  /** Further lines of its own help. */
  readonly details?: string
  readonly options?: Readonly<Record<string, CommandOption>>
  /** @throws {CommandError} when the command has failed */
  run(context: CommandContext): Promise<void>
}
