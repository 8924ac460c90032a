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
}

/**
 * Reads an address such as `https://media.example:8443`.
 * @throws {CommandError} when it is none
 */
export function parseServerAddress(text: string): ServerAddress {
  const url = URL.parse(text)
  if (url === null || !HTTP.includes(url.protocol) || url.host === '') {
    throw new UsageError(`"${text}" is no address of a server; one looks like ${DEFAULT_SERVER}`)
  }
  if (url.username !== '' || url.password !== '') {
    // Other users of the machine can read a command line.
    throw new UsageError('the address of a server has no name and password; use sluice ctl login')
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/u, '') }
}

/** The address as a person writes it. */
export function addressText({ origin, basePath }: ServerAddress): string {
  return origin + basePath
}
