import { randomBytes } from 'node:crypto'
import { ClientAuthorization } from './client-authorization.ts'

/** Addresses that lead on may bring their own names and passwords: of so many servers they are kept. */
const MAX_ORIGINS = 16
/** Bytes that no header may have. */
const CONTROL = /[\0-\x1f\x7f]/u

/** Names and passwords of addresses, each of which goes to the origin that it was written for, and only when that asks. */
export class OriginCredentials {
  readonly #byOrigin = new Map<string, ClientAuthorization>()

  /** Notes the user information of an address, unless one of its origin is known. */
  learn({ origin, username, password }: URL): void {
    if ((username === '' && password === '') || this.has({ origin }) || this.#byOrigin.size >= MAX_ORIGINS) return
    const name = decoded(username)
    // A name that can't be sent is as good as none.
    if (!CONTROL.test(name)) this.#byOrigin.set(origin, new ClientAuthorization(name, decoded(password)))
  }

  /** Returns true when there are name and password for an origin. */
  has({ origin }: Pick<URL, 'origin'>): boolean {
    return this.#byOrigin.has(origin)
  }

  /**
   * Returns the value of `Authorization` for a request; undefined while its origin has sent no challenge, or without a name
   * and password.
   */
  authorization(method: string, { origin, pathname, search }: URL): string | undefined {
    const cnonce = randomBytes(16).toString('hex')
    const value = this.#byOrigin.get(origin)?.authorize(method, `${pathname}${search}`, cnonce)
    // Headers hold bytes: names are sent as UTF-8.
    return value === undefined ? undefined : Buffer.from(value, 'utf8').toString('latin1')
  }

  /**
   * Takes the challenges of an answer 401.
   * @param again whether the request was answered already: then the credentials are wrong, unless only the nonce was too old
   * @returns whether there is something to answer
   */
  answer({ origin }: URL, challenges: string | null, again: boolean): boolean {
    const authorization = this.#byOrigin.get(origin)
    // Servers without `WWW-Authenticate` want Basic.
    const isKnown = authorization?.challenge([challenges ?? 'Basic']) ?? false
    return isKnown && (!again || authorization?.isStale === true)
  }

  /** Takes the header `Authentication-Info` of an answer. */
  inform({ origin }: URL, info: string | null): void {
    if (info !== null) this.#byOrigin.get(origin)?.inform(info)
  }
}

/** A text that is encoded wrongly is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
