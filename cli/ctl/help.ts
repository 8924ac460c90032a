import type { Command, CommandOption } from './command.ts'
import { commandsAbout, GLOBAL_OPTIONS } from './command-line.ts'
import { UsageError } from '../command-error.ts'

const ABOUT = 'Asks a running server what it does, and tells it what to do, over its HTTP API.'
const AFTERWORD = `Output is tables at a terminal, and JSON elsewhere.
Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 server not reachable.`

/**
 * Returns the help of `sluice ctl`, or of the commands that the words of a topic name.
 * @throws {CommandError} when there are no such commands
 */
export function helpText(topic: readonly string[], commands: readonly Command[]): string {
  const found = commandsAbout(topic, commands)
  const [command] = found
  if (command === undefined) throw new UsageError(`unknown command "${topic.join(' ')}" (see sluice ctl --help)`)
  return found.length === 1 ? commandHelp(command) : listHelp(found)
}

function listHelp(commands: readonly Command[]): string {
  return sections(
    'Usage: sluice ctl [OPTION…] COMMAND',
    ABOUT,
    `Commands:\n${columns(commands.map((command) => [usageOf(command), command.summary]))}`,
    `Options:\n${columns(optionLines(GLOBAL_OPTIONS))}`,
    AFTERWORD,
  )
}

function commandHelp(command: Command): string {
  const { summary, details, options = {} } = command
  const lines = optionLines({ ...options, ...GLOBAL_OPTIONS })
  return sections(
    `Usage: sluice ctl ${usageOf(command)}`,
    details === undefined ? summary : `${summary}.\n${details}`,
    `Options:\n${columns(lines)}`,
  )
}

function usageOf({ name, args = [] }: Command): string {
  return [name, ...args].join(' ')
}

function optionLines(options: Readonly<Record<string, CommandOption>>): [string, string][] {
  return Object.entries(options).map(([name, { summary, value }]) => [
    [`${name === 'help' ? '-h, ' : ''}--${name}`, value ?? ''].join(' ').trimEnd(),
    summary,
  ])
}

function columns(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.length))
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

function sections(...texts: readonly string[]): string {
  return `${texts.join('\n\n')}\n`
}
