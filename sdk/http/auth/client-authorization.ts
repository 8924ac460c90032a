import { quote } from './quoted-text.ts'
import { parseChallenges, parseParameters, type Challenge } from './challenge.ts'
import {
  DIGEST_ALGORITHMS,
  digestAlgorithm,
  digestResponse,
  isSessionAlgorithm,
  type DigestAlgorithm,
} from './digest.ts'

type Chosen =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'digest'; readonly algorithm: DigestAlgorithm; readonly parameters: Challenge['parameters'] }

/** Answers the challenges of a server (RFC 7616 3.4, RFC 7617 2). */
export class ClientAuthorization {
  readonly #username: string
  readonly #password: string
  #chosen: Chosen | undefined
  #nonce = ''
  #nonceCount = 0
  /** The client's nonce of the first request with `#nonce`: algorithms with `-sess` keep it. */
  #firstCnonce: string | undefined

  constructor(username: string, password: string) {
    this.#username = username
    this.#password = password
  }

  /**
   * Takes the values of all headers `WWW-Authenticate` of a response, and of the schemes in them the best: Digest with
   * SHA-512/256, with SHA-256, with MD5, Basic. Whether there is one.
   */
  challenge(values: readonly string[]): boolean {
    this.#chosen = choose(parseChallenges(values))
    this.#begin(this.#chosen?.scheme === 'digest' ? (this.#chosen.parameters.get('nonce') ?? '') : '')
    return this.#chosen !== undefined
  }

  /** Returns true when the last challenge is only for the nonce of the request, which was too old. */
  get isStale(): boolean {
    return this.#chosen?.scheme === 'digest' && this.#chosen.parameters.get('stale')?.toLowerCase() === 'true'
  }

  /** Takes the value of a header `Authentication-Info`, by which a server gives the nonce of the next request (RFC 7616 3.5). */
  inform(value: string): void {
    const nonce = parseParameters(value).get('nextnonce')
    if (nonce !== undefined && this.#chosen?.scheme === 'digest') this.#begin(nonce)
  }

  /**
   * The value of `Authorization` for a request; undefined before there was a challenge.
   * @param cnonce new random text of letters and digits for each request, 16 or more
   */
  authorize(method: string, uri: string, cnonce: string): string | undefined {
    if (this.#chosen === undefined) return undefined
    if (this.#chosen.scheme === 'digest') return this.#digest(this.#chosen, method, uri, cnonce)
    return `Basic ${Buffer.from(`${this.#username}:${this.#password}`).toString('base64')}`
  }

  #digest(chosen: Chosen & { scheme: 'digest' }, method: string, uri: string, newCnonce: string): string {
    const { algorithm, parameters } = chosen
    this.#firstCnonce ??= newCnonce
    const cnonce = isSessionAlgorithm(algorithm) ? this.#firstCnonce : newCnonce
    const username = this.#username
    const realm = parameters.get('realm') ?? ''
    const nonce = this.#nonce
    this.#nonceCount += 1
    const nc = this.#nonceCount.toString(16).padStart(8, '0')
    const qop = parameters.has('qop') ? { nc, cnonce } : undefined
    const input = { algorithm, username, realm, password: this.#password, method, uri, nonce, qop }
    const parts = [
      `username=${quote(username)}`,
      `realm=${quote(realm)}`,
      `nonce=${quote(nonce)}`,
      `uri=${quote(uri)}`,
      `response="${digestResponse(input)}"`,
    ]
    // Old cameras know none of these parameters: each goes only to a server that asks for it.
    if (parameters.has('algorithm')) parts.push(`algorithm=${algorithm}`)
    const opaque = parameters.get('opaque')
    if (opaque !== undefined) parts.push(`opaque=${quote(opaque)}`)
    if (qop !== undefined) parts.push('qop=auth', `nc=${nc}`, `cnonce="${cnonce}"`)
    return `Digest ${parts.join(', ')}`
  }

  #begin(nonce: string): void {
    this.#nonce = nonce
    this.#nonceCount = 0
    this.#firstCnonce = undefined
  }
}

function choose(challenges: readonly Challenge[]): Chosen | undefined {
  const digests = challenges.flatMap(({ scheme, parameters }) => {
    const algorithm = digestAlgorithm(parameters.get('algorithm'))
    const isUsable = scheme === 'digest' && algorithm !== undefined && offersAuth(parameters, algorithm)
    return isUsable && parameters.has('nonce') ? [{ scheme: 'digest' as const, algorithm, parameters }] : []
  })
  for (const algorithm of DIGEST_ALGORITHMS) {
    const digest = digests.find((offered) => offered.algorithm === algorithm)
    if (digest !== undefined) return digest
  }
  return challenges.some(({ scheme }) => scheme === 'basic') ? { scheme: 'basic' } : undefined
}

function offersAuth(parameters: Challenge['parameters'], algorithm: DigestAlgorithm): boolean {
  const qop = parameters.get('qop') ?? (isSessionAlgorithm(algorithm) ? '' : 'auth')
  return qop.split(',').some((name) => name.trim().toLowerCase() === 'auth')
}
