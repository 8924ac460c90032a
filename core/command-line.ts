import { parseArgs } from 'node:util'
import { messageOf } from './base/message-of.ts'

export const USAGE = `Usage: sluice [-c FILE]         run the server
       sluice check [-c FILE]   check a config file and print what differs from the defaults, and why
       sluice ctl COMMAND       ask a running server, and tell it what to do ("sluice ctl --help" lists the commands)
       sluice reset [-c FILE] NAME…
                                take back what was set at run time, in a section (rtmp) or for a key (rtmp.publish.key)

Options:
  -c, --config FILE   config file; without it, config.yaml in the working directory, else the shipped one
  --all               check prints every key
  -h, --help          this text
  -v, --version       the version

Any key can be set in the environment, too: SLUICE_<SECTION>_<KEY>, for example SLUICE_RTMP_PUBLISH_KEY.
`

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly configFile: string | undefined }
  | { readonly kind: 'check'; readonly configFile: string | undefined; readonly all: boolean }
  /** The arguments are those after `ctl`. */
  | { readonly kind: 'ctl'; readonly args: readonly string[] }
  | { readonly kind: 'reset'; readonly configFile: string | undefined; readonly names: readonly string[] }
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'usage-error'; readonly message: string }

const ALL_IS_FOR_CHECK: Command = { kind: 'usage-error', message: '--all is for check' }

export function parseCommandLine(args: readonly string[]): Command {
  if (args[0] === 'ctl') return { kind: 'ctl', args: args.slice(1) }
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string', short: 'c' },
        all: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
    if (values.help === true) return { kind: 'help' }
    if (values.version === true) return { kind: 'version' }
    const [verb = 'run', ...rest] = positionals
    const { config: configFile, all = false } = values
    if (verb === 'reset') return all ? ALL_IS_FOR_CHECK : resetCommand(configFile, rest)
    if (rest.length > 0 || (verb !== 'run' && verb !== 'check')) {
      return { kind: 'usage-error', message: `unknown argument "${rest[0] ?? verb}"` }
    }
    if (verb === 'check') return { kind: 'check', configFile, all }
    return all ? ALL_IS_FOR_CHECK : { kind: 'run', configFile }
  } catch (error) {
    return { kind: 'usage-error', message: messageOf(error) }
  }
}

function resetCommand(configFile: string | undefined, names: readonly string[]): Command {
  if (names.length > 0) return { kind: 'reset', configFile, names }
  return { kind: 'usage-error', message: 'reset needs the name of a section, or of a key: rtmp, rtmp.publish.key' }
}
