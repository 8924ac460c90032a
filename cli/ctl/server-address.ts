import { UsageError } from '../command-error.ts'

/** The address of the server, unless `--server` or the environment has another one. */
export const DEFAULT_SERVER = 'http://127.0.0.1:8080'
const HTTP = ['http:', 'https:']

/** The address of a server. */
export type ServerAddress = {
  /** The scheme, host and port. */
  readonly origin: string
  /** The prefix of the API's paths, when a proxy has the server below a path; without a slash at its end. */
  readonly basePath: string
  /** The name and password for HTTP Basic (RFC 7617), when the address has them. */
  readonly basic: string | undefined
}

/**
 * Parses an address such as `https://media.example:8443`.
 * @throws {CommandError} when the text is no address
 */
export function parseServerAddress(text: string): ServerAddress {
  const url = URL.parse(text)
  if (url === null || !HTTP.includes(url.protocol) || url.host === '') {
    throw new UsageError(`the address of the server is none; one looks like ${DEFAULT_SERVER}`)
  }
  const { origin, pathname } = url
  return { origin, basePath: pathname.replace(/\/+$/u, ''), basic: userOf(url) }
}

/** Returns the name and password of an address. @throws {UsageError} when a percent sign in them encodes nothing */
function userOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    throw new UsageError('a percent sign in the name or password of an address is written as %25')
  }
}

/** Returns the address as a person writes it, without name and password. */
export function addressText({ origin, basePath }: ServerAddress): string {
  return origin + basePath
}
