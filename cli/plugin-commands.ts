import { readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ProgramCommand } from 'sluice/sdk'
import { moduleToRun } from '../core/build/running-build.ts'
import { CommandError } from './command-error.ts'

/** A command of a plugin, by its name. */
export type NamedCommand = { readonly name: string; readonly command: ProgramCommand }

const COMMAND_FILE = /^([a-z][a-z\d-]*)\.ts$/u
/** The width of the column of names in the usage text. */
const NAME_WIDTH = 24

/** The commands that plugins of a folder bring along, as files `<plugin>/commands/<name>.ts`. */
export class PluginCommands {
  /** By the names of the commands; of two with one name, the plugin that comes first has it. */
  #files: ReadonlyMap<string, string> | undefined
  readonly #folder: string

  /** @param folder the folder of the plugins */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The names of the commands, in alphabetical order. */
  get names(): readonly string[] {
    return [...this.#found().keys()].toSorted()
  }

  /** Returns true when there is a command of this name. */
  has(name: string): boolean {
    return this.#found().has(name)
  }

  /** Runs a command with the arguments after its name; says why where it can't be loaded. */
  async run(name: string, args: readonly string[]): Promise<void> {
    try {
      await (await this.load(name)).run(args)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      process.stderr.write(`sluice ${name}: ${error.message}\n`)
      process.exitCode = error.exitCode
    }
  }

  /**
   * Loads a command, from the build where that is current.
   * @throws {CommandError} when there is none, or its file exports none
   */
  async load(name: string): Promise<ProgramCommand> {
    const file = this.#found().get(name)
    if (file === undefined) throw new CommandError(`there is no command ${name}`)
    const module: unknown = await import(moduleToRun(pathToFileURL(file)).href)
    const command = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined
    if (!isCommand(command)) throw new CommandError(`${file} exports no command`)
    return command
  }

  /** Loads all commands; one that can't be loaded is left out. */
  async all(): Promise<readonly NamedCommand[]> {
    const commands = this.names.map(async (name): Promise<NamedCommand[]> => {
      try {
        return [{ name, command: await this.load(name) }]
      } catch {
        return []
      }
    })
    return (await Promise.all(commands)).flat()
  }

  /** The files by the names of their commands, which are looked for once they are asked for. */
  #found(): ReadonlyMap<string, string> {
    this.#files ??= new Map(
      namesIn(this.#folder)
        .toReversed()
        .flatMap((plugin) => commandsIn(path.join(this.#folder, plugin, 'commands'))),
    )
    return this.#files
  }
}

/** The lines of the usage text about commands of plugins; empty where there are none. */
export function helpOfPlugins(commands: readonly NamedCommand[]): string {
  if (commands.length === 0) return ''
  const lines = commands.map(({ name, command }) => `  sluice ${name}`.padEnd(NAME_WIDTH) + ` ${command.summary}\n`)
  return `\nCommands of plugins ("sluice NAME --help" tells more):\n${lines.join('')}`
}

function commandsIn(folder: string): [string, string][] {
  return namesIn(folder).flatMap((file): [string, string][] => {
    const [, name] = COMMAND_FILE.exec(file) ?? []
    return name === undefined ? [] : [[name, path.join(folder, file)]]
  })
}

/** The names in a folder, in alphabetical order; none where there is no folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

function isCommand(value: unknown): value is ProgramCommand {
  if (typeof value !== 'object' || value === null || !('summary' in value) || !('run' in value)) return false
  return typeof value.summary === 'string' && typeof value.run === 'function'
}
