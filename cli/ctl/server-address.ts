import { UsageError } from '../command-error.ts'

/** Where a server is asked unless `--server` or the environment says otherwise. */
export const DEFAULT_SERVER = 'http://127.0.0.1:8080'
const HTTP = ['http:', 'https:']

/** The address of a server. */
export type ServerAddress = {
  /** Scheme, host and port. */
  readonly origin: string
  /** What paths of the API follow, where a proxy has the server below a path; without a slash at its end. */
  readonly basePath: string
  /** Name and password for HTTP Basic (RFC 7617), where the address has them. */
  readonly basic: string | undefined
}

/**
 * Reads an address such as `https://media.example:8443`.
 * @throws {CommandError} when it is none
 */
export function parseServerAddress(text: string): ServerAddress {
  const url = URL.parse(text)
  if (url === null || !HTTP.includes(url.protocol) || url.host === '') {
    throw new UsageError(`the address of the server is none; one looks like ${DEFAULT_SERVER}`)
  }
  const { origin, pathname } = url
  return { origin, basePath: pathname.replace(/\/+$/u, ''), basic: userOf(url) }
}

/** @throws {UsageError} when a percent sign in it encodes nothing */
function userOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    throw new UsageError('a percent sign in the name or password of an address is written as %25')
  }
}

/** The address as a person writes it, without name and password. */
export function addressText({ origin, basePath }: ServerAddress): string {
  return origin + basePath
}
