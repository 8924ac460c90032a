import { maskUrls } from 'sluice/sdk'

/** The longest command line that is shown, in UTF-16 code units; what is longer is cut. */
const MAX_LENGTH = 2000
const MASK = '******'
/** The name of an option or a variable whose value is a secret. */
const SECRET_NAME = /(?:secret|passw(?:or)?d|token|credential|dsn|api-?key|(?:^|[-_.])key)$/iu
const ASSIGNMENT = /^(?<name>-{0,2}[\w.-]+)=(?<value>.*)$/su

/**
 * A command line as operators may see it: without the values of options that are named like secrets, and without what
 * the user information and queries of addresses say. Arguments with spaces are quoted.
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
