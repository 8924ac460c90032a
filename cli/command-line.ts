import { parseArgs } from 'node:util'
import { UsageError } from './command-error.ts'
import type { ServiceAction } from './service/service-command.ts'
import type { TokenAction } from './token-command.ts'
import type { UserAction } from './user-command.ts'

export const USAGE = `Usage: sluice [-c FILE]         run the server
       sluice check [-c FILE]   check a config file and print what differs from the defaults, and why
       sluice user add NAME [--role admin|user]
       sluice user passwd NAME | list | remove NAME [--force]
                                who may log in, in the database of the config; a password is asked for, or is read
                                from standard input
       sluice token add NAME [--role admin|user] [--expires 90d]
       sluice token list | remove ID
                                tokens for programs; one that is added is printed
       sluice ctl COMMAND       ask a running server, and tell it what to do ("sluice ctl --help" lists the commands)
       sluice service install [-c FILE] [--recordings FOLDER] [--user] [--print] [--force]
       sluice service show | remove [--user] [--force]
                                run it for good by systemd: writes, shows or removes its unit
       sluice reset [-c FILE] NAME…
                                take back what was set at run time, in a section (rtmp) or for a key (rtmp.publish.key)

Options:
  -c, --config FILE   config file; without it, config.yaml in the working directory, else the shipped one
  --all               check prints every key
  --role ROLE         user (the default) may read, admin may change things, too
  --expires TIME      the token is valid this long, as 90d or 12h; without it, for ever
  --recordings FOLDER folder of the service's recordings; without it, that of the config, or one beside its data
  --user              a service of your own, without root
  --print             write the unit to standard output, and nothing else
  --force             remove the last admin, too, while login is on; replace a unit that was edited
  -h, --help          this text
  -v, --version       the version

Any key can be set in the environment, too: SLUICE_<SECTION>_<KEY>, for example SLUICE_RTMP_PUBLISH_KEY.
`

/** The command that the command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly configFile: string | undefined }
  | { readonly kind: 'check'; readonly configFile: string | undefined; readonly all: boolean }
  | { readonly kind: 'user'; readonly configFile: string | undefined; readonly action: UserAction }
  | { readonly kind: 'token'; readonly configFile: string | undefined; readonly action: TokenAction }
  | { readonly kind: 'service'; readonly configFile: string | undefined; readonly action: ServiceAction }
  /** The arguments are those after `ctl`. */
  | { readonly kind: 'ctl'; readonly args: readonly string[] }
  /** A command that a plugin brings along. The arguments are those after its name. */
  | { readonly kind: 'plugin'; readonly name: string; readonly args: readonly string[] }
  | { readonly kind: 'reset'; readonly configFile: string | undefined; readonly names: readonly string[] }
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'usage-error'; readonly message: string }

const OPTIONS = {
  config: { type: 'string', short: 'c' },
  all: { type: 'boolean' },
  role: { type: 'string' },
  expires: { type: 'string' },
  force: { type: 'boolean' },
  recordings: { type: 'string' },
  user: { type: 'boolean' },
  print: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

type CommandShape = {
  /** The name of the argument that must follow the command. */
  readonly argument?: string
  /** True when there may be several arguments. */
  readonly isRepeated?: boolean
  /** The options of the command, besides `--config`. */
  readonly options: readonly string[]
}

const COMMANDS: Readonly<Record<string, CommandShape>> = {
  run: { options: [] },
  check: { options: ['all'] },
  reset: { argument: 'the name of a section, or of a key (rtmp, rtmp.publish.key),', isRepeated: true, options: [] },
  'user add': { argument: 'NAME', options: ['role'] },
  'user passwd': { argument: 'NAME', options: [] },
  'user list': { options: [] },
  'user remove': { argument: 'NAME', options: ['force'] },
  'token add': { argument: 'NAME', options: ['role', 'expires'] },
  'token list': { options: [] },
  'token remove': { argument: 'ID', options: [] },
  'service install': { options: ['recordings', 'user', 'print', 'force'] },
  'service show': { options: ['user'] },
  'service remove': { options: ['user', 'force'] },
}

/** @param isOfPlugin tells whether a plugin brings a command of this name along; the program's own come first */
export function parseCommandLine(
  args: readonly string[],
  isOfPlugin: (name: string) => boolean = () => false,
): Command {
  const [name = '', ...rest] = args
  if (name === 'ctl') return { kind: 'ctl', args: rest }
  const isOwn = Object.keys(COMMANDS).some((own) => own.split(' ')[0] === name)
  if (!isOwn && isOfPlugin(name)) return { kind: 'plugin', name, args: rest }
  try {
    return parse(args)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { kind: 'usage-error', message: error.message }
  }
}

/** @throws {Error} when the command line can't be understood */
function parse(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })
  if (values.help === true) return { kind: 'help' }
  if (values.version === true) return { kind: 'version' }
  const { config: configFile, all = false, force = false, expires } = values
  const { recordings, user: isOwn = false, print = false } = values
  const { name, names } = commandOf(positionals, Object.keys(values))
  const [argument = ''] = names
  const role = roleOf(values.role)
  switch (name) {
    case 'check':
      return { kind: 'check', configFile, all }
    case 'reset':
      return { kind: 'reset', configFile, names }
    case 'user add':
      return { kind: 'user', configFile, action: { verb: 'add', name: argument, role } }
    case 'user passwd':
      return { kind: 'user', configFile, action: { verb: 'passwd', name: argument } }
    case 'user list':
      return { kind: 'user', configFile, action: { verb: 'list' } }
    case 'user remove':
      return { kind: 'user', configFile, action: { verb: 'remove', name: argument, force } }
    case 'token add':
      return { kind: 'token', configFile, action: { verb: 'add', name: argument, role, expires } }
    case 'token list':
      return { kind: 'token', configFile, action: { verb: 'list' } }
    case 'token remove':
      return { kind: 'token', configFile, action: { verb: 'remove', id: idOf(argument) } }
    case 'service install':
      return { kind: 'service', configFile, action: { verb: 'install', isOwn, print, force, recordings } }
    case 'service show':
      return { kind: 'service', configFile, action: { verb: 'show', isOwn } }
    case 'service remove':
      return { kind: 'service', configFile, action: { verb: 'remove', isOwn, force } }
    default:
      return { kind: 'run', configFile }
  }
}

/** Returns the command, after a check of its arguments and options. */
function commandOf(words: readonly string[], options: readonly string[]) {
  const [first = 'run', second = ''] = words
  const name = [`${first} ${second}`, first].find((spelling) => Object.hasOwn(COMMANDS, spelling))
  const command = name === undefined ? undefined : COMMANDS[name]
  if (name === undefined || command === undefined) throw new UsageError(`unknown argument "${words.join(' ')}"`)
  const names = words.slice(name.split(' ').length)
  const { argument, isRepeated = false } = command
  if (argument !== undefined && names.length === 0) throw new UsageError(`${name}: ${argument} is missing`)
  const surplus = isRepeated ? undefined : names[argument === undefined ? 0 : 1]
  if (surplus !== undefined) throw new UsageError(`unknown argument "${surplus}"`)
  const other = options.find((option) => option !== 'config' && !command.options.includes(option))
  if (other !== undefined) throw new UsageError(`--${other} is not for ${name}`)
  return { name, names }
}

function roleOf(role = 'user'): 'admin' | 'user' {
  if (role !== 'admin' && role !== 'user') throw new UsageError(`--role is admin or user, and not "${role}"`)
  return role
}

function idOf(text: string): number {
  if (!/^\d{1,15}$/u.test(text)) throw new UsageError(`"${text}" is no ID; see sluice token list`)
  return Number(text)
}
