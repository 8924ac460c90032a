import { createHash } from 'node:crypto'

/** Named as in challenges, the strongest first. */
const HASHES = {
  'SHA-512-256': 'sha512-256',
  'SHA-512-256-sess': 'sha512-256',
  'SHA-256': 'sha256',
  'SHA-256-sess': 'sha256',
  // Of GB/T 28181-2022, for SIP.
  SM3: 'sm3',
  MD5: 'md5',
  'MD5-sess': 'md5',
} as const

/** An algorithm as challenges name it. Those with `-sess` hash the password together with both nonces. */
export type DigestAlgorithm = keyof typeof HASHES

/** All algorithms, the strongest first. */
export const DIGEST_ALGORITHMS = Object.keys(HASHES) as readonly DigestAlgorithm[]

/** The values that a digest is made of; texts without quotes. */
export type DigestInput = {
  readonly algorithm: DigestAlgorithm
  readonly username: string
  readonly realm: string
  readonly password: string
  readonly method: string
  readonly uri: string
  readonly nonce: string
  /**
   * Present where the challenge offers `qop="auth"`, as it must for an algorithm with `-sess`: the count of requests in 8 hex digits,
   * and the client's nonce.
   */
  readonly qop?: { readonly nc: string; readonly cnonce: string } | undefined
}

/** The algorithm of a parameter `algorithm`, which is MD5 where there is none; undefined for others. */
export function digestAlgorithm(text = 'MD5'): DigestAlgorithm | undefined {
  return DIGEST_ALGORITHMS.find((name) => name.toLowerCase() === text.toLowerCase())
}

/** Returns true for an algorithm that hashes the password together with both nonces, and so needs `qop`. */
export function isSessionAlgorithm(algorithm: DigestAlgorithm): boolean {
  return algorithm.endsWith('-sess')
}

/** The response in hex (RFC 7616 3.4.1; without `qop`, RFC 2069 2.4). Texts count as UTF-8. */
export function digestResponse(input: DigestInput): string {
  const { algorithm, username, realm, password, method, uri, nonce, qop } = input
  const secret = hash(algorithm, `${username}:${realm}:${password}`)
  const user = isSessionAlgorithm(algorithm) ? hash(algorithm, `${secret}:${nonce}:${qop?.cnonce ?? ''}`) : secret
  const request = hash(algorithm, `${method}:${uri}`)
  const middle = qop === undefined ? nonce : `${nonce}:${qop.nc}:${qop.cnonce}:auth`
  return hash(algorithm, `${user}:${middle}:${request}`)
}

function hash(algorithm: DigestAlgorithm, text: string): string {
  return createHash(HASHES[algorithm]).update(text, 'utf8').digest('hex')
}
