import { parseArgs, type ParseArgsConfig } from 'node:util'
import { messageOf } from '../error-text.ts'
import type { Command, CommandOption, CommandOptions } from './command.ts'
import { UsageError } from '../command-error.ts'

/** The options that every command takes. */
export const GLOBAL_OPTIONS = {
  server: { summary: 'address of the server (default http://127.0.0.1:8080, or SLUICE_SERVER)', value: 'URL' },
  'token-file': { summary: 'file with a token (default: SLUICE_TOKEN, or that of "login")', value: 'FILE' },
  ca: { summary: 'certificate of the authority that vouches for an https server', value: 'FILE' },
  json: { summary: 'JSON at a terminal, too' },
  help: { summary: 'help of ctl, or of a command' },
} as const satisfies Readonly<Record<string, CommandOption>>

/** The command or the help that `sluice ctl` is called for. */
export type CommandLine =
  | { readonly kind: 'help'; readonly topic: readonly string[] }
  | {
      readonly kind: 'command'
      readonly command: Command
      readonly args: readonly string[]
      readonly options: CommandOptions
    }

/**
 * Parses the arguments after `sluice ctl`. Options may be anywhere before `--`.
 * @throws {CommandError} when they are wrong, with the reason in its message
 */
export function parseCommandLine(args: readonly string[], commands: readonly Command[]): CommandLine {
  const { values, positionals } = parse(args, commands)
  if (values['help'] === true) return { kind: 'help', topic: positionals }
  const command = findCommand(positionals, commands)
  const given = positionals.slice(command.name.split(' ').length)
  checkArguments(command, given)
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(GLOBAL_OPTIONS, name) && !Object.hasOwn(command.options ?? {}, name)) {
      throw wrong(`--${name} is not for ${command.name}`, command.name)
    }
  }
  return { kind: 'command', command, args: given, options: values }
}

/** Returns the commands of a topic of the help: one, those that begin with its word, or all for an empty topic. */
export function commandsAbout(topic: readonly string[], commands: readonly Command[]): readonly Command[] {
  const exact = [topic.slice(0, 2), topic.slice(0, 1)].map((words) => words.join(' '))
  const one = exact.flatMap((name) => commands.find((command) => command.name === name) ?? [])[0]
  if (one !== undefined) return [one]
  const [word] = topic
  return word === undefined ? commands : commands.filter(({ name }) => name.startsWith(`${word} `))
}

function parse(args: readonly string[], commands: readonly Command[]) {
  const known = Object.assign({}, ...commands.map(({ options }) => options), GLOBAL_OPTIONS) as Readonly<
    Record<string, CommandOption>
  >
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(name === 'help' && { short: 'h' }) },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    return { values: values as CommandOptions, positionals }
  } catch (error) {
    throw wrong(messageOf(error))
  }
}

function findCommand(positionals: readonly string[], commands: readonly Command[]): Command {
  const [first] = positionals
  if (first === undefined) throw wrong('which command?')
  const found = commandsAbout(positionals, commands)
  const [command] = found
  if (command === undefined) throw wrong(`unknown command "${first}"`)
  if (found.length === 1 && isCalled(command, positionals)) return command
  const ways = found.map(({ name }) => name.slice(first.length + 1)).join(', ')
  throw wrong(`${first}: expected one of ${ways}`, first)
}

function isCalled({ name }: Command, positionals: readonly string[]): boolean {
  return name.split(' ').every((word, index) => positionals[index] === word)
}

function checkArguments({ name, args = [] }: Command, given: readonly string[]): void {
  const missing = args.filter((arg) => !arg.startsWith('['))[given.length]
  if (missing !== undefined) throw wrong(`${name}: ${missing} is missing`, name)
  const surplus = given[args.length]
  if (surplus !== undefined) throw wrong(`${name}: unexpected "${surplus}"`, name)
}

function wrong(message: string, topic?: string): UsageError {
  return new UsageError(`${message} (see sluice ctl ${topic === undefined ? '' : `${topic} `}--help)`)
}
