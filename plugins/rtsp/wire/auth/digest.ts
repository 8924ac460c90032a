import { createHash } from 'node:crypto'

/** Named as in challenges. */
export type DigestAlgorithm = 'MD5' | 'SHA-256'

const HASHES = { MD5: 'md5', 'SHA-256': 'sha256' } satisfies Record<DigestAlgorithm, string>

/** What goes into a digest; texts without quotes. */
export type DigestInput = {
  readonly algorithm: DigestAlgorithm
  readonly username: string
  readonly realm: string
  readonly password: string
  readonly method: string
  readonly uri: string
  readonly nonce: string
  /** Present where the challenge offers `qop="auth"`: the count of requests in 8 hex digits, and the client's nonce. */
  readonly qop?: { readonly nc: string; readonly cnonce: string } | undefined
}

/** The algorithm of a parameter `algorithm`, which is MD5 where there is none; undefined for others. */
export function digestAlgorithm(text: string | undefined): DigestAlgorithm | undefined {
  const upperCase = (text ?? 'MD5').toUpperCase()
  return upperCase === 'MD5' || upperCase === 'SHA-256' ? upperCase : undefined
}

/** The response in hex (RFC 7616 3.4.1; without `qop`, RFC 2069 2.4). Texts count as UTF-8. */
export function digestResponse(input: DigestInput): string {
  const { algorithm, username, realm, password, method, uri, nonce, qop } = input
  const user = hash(algorithm, `${username}:${realm}:${password}`)
  const request = hash(algorithm, `${method}:${uri}`)
  const middle = qop === undefined ? nonce : `${nonce}:${qop.nc}:${qop.cnonce}:auth`
  return hash(algorithm, `${user}:${middle}:${request}`)
}

function hash(algorithm: DigestAlgorithm, text: string): string {
  return createHash(HASHES[algorithm]).update(text, 'utf8').digest('hex')
}
