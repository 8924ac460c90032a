import { randomBytes } from 'node:crypto'
import { ClientAuthorization } from 'sluice/sdk/http'
import type { RtspUrl } from '../wire/url.ts'

/** The name and password of an address, for servers that ask for them. */
export class ClientCredentials {
  readonly #authorization: ClientAuthorization | undefined

  constructor({ username, password = '' }: Pick<RtspUrl, 'username' | 'password'>) {
    this.#authorization = username === undefined ? undefined : new ClientAuthorization(username, password)
  }

  /** Takes the challenges of a server; returns true when one of them can be answered. */
  accept(challenges: readonly string[]): boolean {
    return this.#authorization?.challenge(challenges) ?? false
  }

  /** The header `Authorization` of a request; undefined before a challenge. */
  authorization(method: string, uri: string): string | undefined {
    return this.#authorization?.authorize(method, uri, randomBytes(16).toString('hex'))
  }
}
