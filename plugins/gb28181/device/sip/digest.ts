import { createHash, getHashes, randomBytes } from 'node:crypto'
import { MalformedError } from 'sluice/sdk/media'

/** The challenge of a server (RFC 2617 3.2.1, RFC 7616 3.3). */
export type DigestChallenge = {
  readonly realm: string
  readonly nonce: string
  readonly algorithm: DigestAlgorithm
  readonly opaque: string | undefined
  /** True when the server offers `qop=auth`; without it the answer is that of RFC 2069. */
  readonly hasQop: boolean
  /** True when only the nonce of the former answer was too old. */
  readonly stale: boolean
}

/** The algorithms of a digest: GB/T 28181-2022 8.2 names SM3 beside MD5. */
export type DigestAlgorithm = 'MD5' | 'SHA-256' | 'SM3'

/** The answer to a challenge. */
export type DigestAnswer = {
  readonly username: string
  readonly password: string
  readonly method: string
  readonly uri: string
  /** The number of answers with the nonce of the challenge, this one included. */
  readonly count: number
  /** The client's own nonce; by default a random one. */
  readonly clientNonce?: string
}

const HASHES: Readonly<Record<DigestAlgorithm, string>> = { MD5: 'md5', 'SHA-256': 'sha256', SM3: 'sm3' }

/**
 * Reads the value of `WWW-Authenticate`.
 * @throws {MalformedError} when it is no digest, names an algorithm that this process has not, or offers no `qop` that is known.
 */
export function parseDigestChallenge(value: string): DigestChallenge {
  const [, list] = /^Digest\s+(.*)$/isu.exec(value.trim()) ?? []
  if (list === undefined) throw new MalformedError('a challenge that is no digest')
  const fields = new Map<string, string>()
  for (const [, name = '', quoted, plain] of list.matchAll(/([\w-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^",\s]+))/gu)) {
    fields.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/gu, '$1') ?? plain ?? '')
  }
  const [realm, nonce] = [fields.get('realm'), fields.get('nonce')]
  if (realm === undefined || nonce === undefined) throw new MalformedError('a digest without realm or nonce')
  const qop = fields.get('qop')
  const offers = qop?.split(',').map((offer) => offer.trim().toLowerCase())
  if (offers !== undefined && !offers.includes('auth')) throw new MalformedError(`a digest with qop "${qop}"`)
  return {
    realm,
    nonce,
    algorithm: algorithmOf(fields.get('algorithm') ?? 'MD5'),
    opaque: fields.get('opaque'),
    hasQop: offers !== undefined,
    stale: fields.get('stale')?.toLowerCase() === 'true',
  }
}

/** Writes the value of `Authorization` (RFC 2617 3.2.2). */
export function digestAuthorization(challenge: DigestChallenge, answer: DigestAnswer): string {
  const { realm, nonce, algorithm, opaque, hasQop } = challenge
  const { username, password, method, uri, count } = answer
  const clientNonce = answer.clientNonce ?? randomBytes(8).toString('hex')
  const hash = (text: string) => createHash(HASHES[algorithm]).update(text).digest('hex')
  const nc = count.toString(16).padStart(8, '0')
  const secret = hash(`${username}:${realm}:${password}`)
  const target = hash(`${method}:${uri}`)
  const middle = hasQop ? `${nonce}:${nc}:${clientNonce}:auth` : nonce
  const fields = [
    `username="${username}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${uri}"`,
    `response="${hash(`${secret}:${middle}:${target}`)}"`,
    `algorithm=${algorithm}`,
    ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
    ...(hasQop ? ['qop=auth', `nc=${nc}`, `cnonce="${clientNonce}"`] : []),
  ]
  return `Digest ${fields.join(', ')}`
}

function algorithmOf(name: string): DigestAlgorithm {
  const algorithm = (['MD5', 'SHA-256', 'SM3'] as const).find((known) => known === name.toUpperCase())
  if (algorithm === undefined) throw new MalformedError(`a digest by "${name}"`)
  if (!getHashes().includes(HASHES[algorithm])) throw new MalformedError(`this Node has no ${algorithm}`)
  return algorithm
}
