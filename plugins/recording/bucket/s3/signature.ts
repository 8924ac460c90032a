import { createHash, createHmac } from 'node:crypto'

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** Stands for the hash of a body that TLS protects from changes, and that is not read before it is sent. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

/** The keys and the scope of a signature; only the secret key is secret. */
export type Signer = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  /** `s3` */
  readonly service: string
}

/** The parts of a request that are signed. */
export type SignedParts = {
  readonly method: string
  /** The path as it is sent, encoded. */
  readonly path: string
  /** The names and values, neither encoded nor sorted. */
  readonly query: readonly (readonly [string, string])[]
  /** The signed headers by name in lower case, `host` among them. */
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of the body in hexadecimal digits, or {@link UNSIGNED_PAYLOAD}. */
  readonly payloadHash: string
}

/**
 * Encodes all but the unreserved characters of RFC 3986, 2.3, as Signature Version 4 asks for.
 * @throws {URIError} when the text has half a surrogate pair
 */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Returns a query as it is signed and sent: encoded and sorted. */
export function canonicalQuery(query: SignedParts['query']): string {
  const encoded = query.map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
  return encoded
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Returns a time in the format of signatures: `20130524T000000Z`. */
export function amzDate(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/gu, '')
}

/** Returns the `Authorization` of a request, by Signature Version 4. Its headers must have `x-amz-date` of the same time. */
export function authorization(parts: SignedParts, signer: Signer, at: Date): string {
  const credential = `${signer.accessKeyId}/${scopeOf(signer, at)}`
  const signature = signatureOf(parts, signer, at)
  return `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedNames(parts)}, Signature=${signature}`
}

/**
 * Returns the query with which anybody may make a request for a while ("Authenticating Requests: Using Query Parameters").
 * @returns the encoded query, without the `?`
 */
export function presignedQuery(parts: SignedParts, signer: Signer, at: Date, expiresSeconds: number): string {
  const query = [
    ...parts.query,
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', `${signer.accessKeyId}/${scopeOf(signer, at)}`],
    ['X-Amz-Date', amzDate(at)],
    ['X-Amz-Expires', String(expiresSeconds)],
    ['X-Amz-SignedHeaders', signedNames(parts)],
  ] as const
  return `${canonicalQuery(query)}&X-Amz-Signature=${signatureOf({ ...parts, query }, signer, at)}`
}

function signatureOf(parts: SignedParts, signer: Signer, at: Date): string {
  const request = sha256(canonicalRequest(parts))
  const text = [ALGORITHM, amzDate(at), scopeOf(signer, at), request].join('\n')
  return hmac(signingKey(signer, at), text).toString('hex')
}

function canonicalRequest(parts: SignedParts): string {
  const { method, path, query, headers, payloadHash } = parts
  const lines = namesOf(parts).map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/gu, ' ')}\n`)
  return [method, path, canonicalQuery(query), lines.join(''), signedNames(parts), payloadHash].join('\n')
}

function namesOf({ headers }: SignedParts): string[] {
  return Object.keys(headers).toSorted(compare)
}

function signedNames(parts: SignedParts): string {
  return namesOf(parts).join(';')
}

function scopeOf({ region, service }: Signer, at: Date): string {
  return `${amzDate(at).slice(0, 8)}/${region}/${service}/aws4_request`
}

function signingKey({ secretAccessKey, region, service }: Signer, at: Date): Buffer {
  const words = [amzDate(at).slice(0, 8), region, service, 'aws4_request']
  return words.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`))
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Compares texts by code units, which are the bytes of encoded texts. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
