import { createHash, timingSafeEqual } from 'node:crypto'
import type { HttpConfig } from 'sluice/sdk'
import type { RoutedRequest } from 'sluice/sdk/http'
import { PermissionDenied, Unauthenticated } from '../login/login-errors.ts'
import { isReading } from './guard.ts'

const BASIC = /^Basic +([\w+/=-]+) *$/iu

/** The header that makes a browser ask its user for name and password. */
export const CHALLENGE = { 'www-authenticate': 'Basic realm="sluice", charset="UTF-8"' } as const

/** HTTP Basic (RFC 7617) for everything that is served (`http.username`, `http.password`). */
export class BasicAuth {
  /** The digest of name and password; undefined where none are needed. */
  readonly #expected: Buffer | undefined

  constructor({ username, password }: Pick<HttpConfig, 'username' | 'password'>) {
    if (username !== '' || password !== '') this.#expected = digestOf(`${username}:${password}`)
  }

  /**
   * Lets a request pass. Browsers send name and password by themselves, also for pages of other sites, which may change
   * nothing then.
   * @throws {Unauthenticated} when the request lacks the name and password
   * @throws {PermissionDenied} when a page of another site wants to change something
   */
  admit(request: RoutedRequest): void {
    if (this.#expected === undefined) return
    const given = BASIC.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const digest = digestOf(Buffer.from(given, 'base64').toString())
    if (!timingSafeEqual(digest, this.#expected)) throw new Unauthenticated('name and password are needed (HTTP Basic)')
    if (!isReading(request.method) && isOfOtherOrigin(request)) {
      throw new PermissionDenied('pages of other sites may change nothing here')
    }
  }
}

/** True for a request that a browser sends for a page of another origin. */
function isOfOtherOrigin({ headers, forwarded }: RoutedRequest): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && URL.parse(origin)?.host !== (forwarded?.host ?? host)
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
