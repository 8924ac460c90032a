import { maskUrls } from 'sluice/sdk'

/** The longest command line that is shown, in UTF-16 code units; longer ones are cut. */
const MAX_LENGTH = 2000
const MASK = '******'
/** The name of an option or a variable whose value is a secret. */
const SECRET_NAME = /(?:secret|passw(?:or)?d|token|credential|dsn|api-?key|(?:^|[-_.])key)$/iu
const ASSIGNMENT = /^(?<name>-{0,2}[\w.-]+)=(?<value>.*)$/su

/**
 * A command line for operators: without the values of options that are named like secrets, and with the user information
 * and the queries of addresses masked. Arguments with spaces are quoted.
 */
export function shownCommandLine(args: readonly string[]): string {
  const shown = args.map((arg, index) => {
    const before = args[index - 1] ?? ''
    if (before.startsWith('-') && SECRET_NAME.test(before) && !arg.startsWith('-')) return MASK
    return shownArgument(arg)
  })
  return shown.join(' ').slice(0, MAX_LENGTH)
}

function shownArgument(arg: string): string {
  const { name, value } = ASSIGNMENT.exec(arg)?.groups ?? {}
  if (name !== undefined && value !== '' && SECRET_NAME.test(name)) return `${name}=${MASK}`
  const text = maskUrls(arg)
  return /\s/u.test(text) ? JSON.stringify(text) : text
}
