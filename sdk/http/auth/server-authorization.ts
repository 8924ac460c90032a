import { MalformedError } from '../../media/errors.ts'
import { quote } from './quoted-text.ts'
import { parseChallenges } from './challenge.ts'
import { equalInConstantTime } from './constant-time.ts'
import { digestAlgorithm, digestResponse, type DigestAlgorithm } from './digest.ts'
import { isFreshNonce } from './nonce.ts'

/** The credentials of a client in the header `Authorization` (RFC 7617 2, RFC 7616 3.4). */
export type Authorization =
  | { readonly scheme: 'basic'; readonly username: string; readonly password: string }
  | {
      readonly scheme: 'digest'
      readonly username: string
      readonly realm: string
      readonly nonce: string
      readonly uri: string
      readonly response: string
      readonly algorithm: DigestAlgorithm
      readonly qop: { readonly nc: string; readonly cnonce: string } | undefined
    }

/** The user that the server admits, and the values of its challenges. */
export type Account = {
  readonly realm: string
  readonly username: string
  readonly password: string
  /** The key that signs the nonces. */
  readonly nonceKey: Buffer
}

/** `stale`: all is right but the nonce, so the client is to be challenged again with `stale`. */
export type AuthorizationResult = 'granted' | 'stale' | 'denied'

/** A request that needs an authorized client. */
export type SignedRequest = {
  readonly method: string
  /** Returns true when a URI that a client has signed is that of the request; clients of some protocols write it in several ways. */
  readonly isFor: (signedUri: string) => boolean
}

/** The algorithms that {@link createChallenges} offers. */
const OFFERED: readonly DigestAlgorithm[] = ['MD5', 'SHA-256']
const BASIC = /^basic\s+(\S+)$/iu
const NC = /^[0-9a-f]{8}$/iu

/**
 * The values of the headers `WWW-Authenticate`, one a scheme. Of several Digests ffmpeg 5 counts the last one, and
 * knows only MD5. GStreamer 1.22 answers any of them with MD5, and doesn't know `qop`; so all share the nonce, and
 * none has `qop`. live555 wants realm, nonce and stale in this order.
 */
export function createChallenges(realm: string, nonce: string, stale: boolean): string[] {
  const digests = (['SHA-256', 'MD5'] as const).map((algorithm) =>
    createDigestChallenge(algorithm, realm, nonce, stale),
  )
  return [...digests, `Basic realm=${quote(realm)}`]
}

/**
 * Returns the challenge of one algorithm, for protocols with clients that may not send the password itself: SIP's
 * `WWW-Authenticate` and `Proxy-Authenticate` (RFC 3261 22.4, RFC 8760).
 */
export function createDigestChallenge(
  algorithm: 'SHA-256' | 'MD5' | 'SM3',
  realm: string,
  nonce: string,
  stale: boolean,
): string {
  return `Digest realm=${quote(realm)}, nonce="${nonce}"${stale ? ', stale=true' : ''}, algorithm=${algorithm}`
}

/**
 * Parses a header `Authorization`.
 * @param offered the algorithms of the challenges; MD5 and SHA-256 unless given
 * @throws {MalformedError} when its scheme is unknown, or a parameter is missing. No value is in the message.
 */
export function parseAuthorization(text: string, offered = OFFERED): Authorization {
  const basic = BASIC.exec(text)?.[1]
  if (basic !== undefined) return parseBasic(basic)
  const [challenge] = parseChallenges([text])
  if (challenge?.scheme !== 'digest') throw new MalformedError('Authorization that is neither Basic nor Digest')
  const { parameters } = challenge
  const need = (name: string): string => {
    const value = parameters.get(name)
    if (value === undefined) throw new MalformedError(`Authorization without ${name}`)
    return value
  }
  const algorithm = digestAlgorithm(parameters.get('algorithm'))
  if (algorithm === undefined || !offered.includes(algorithm))
    throw new MalformedError('Authorization with an algorithm that was not offered')
  return {
    scheme: 'digest',
    username: need('username'),
    realm: need('realm'),
    nonce: need('nonce'),
    uri: need('uri'),
    response: need('response').toLowerCase(),
    algorithm,
    qop: parseQop(parameters.get('qop'), need),
  }
}

/** Checks a client's credentials: user name and password, or the digest and its nonce. */
export function checkAuthorization(
  authorization: Authorization,
  { method, isFor }: SignedRequest,
  account: Account,
  nowMs: number,
): AuthorizationResult {
  const isUser = equalInConstantTime(authorization.username, account.username)
  if (authorization.scheme === 'basic') {
    const isPassword = equalInConstantTime(authorization.password, account.password)
    return isUser && isPassword ? 'granted' : 'denied'
  }
  const { algorithm, uri, nonce, qop, response, realm } = authorization
  const { username, password } = account
  const expected = digestResponse({ algorithm, username, realm: account.realm, password, method, uri, nonce, qop })
  const isPassword = equalInConstantTime(response, expected)
  if (!isUser || !isPassword || realm !== account.realm || !isFor(uri)) return 'denied'
  return isFreshNonce(nonce, account.nonceKey, nowMs) ? 'granted' : 'stale'
}

function parseBasic(base64: string): Authorization {
  const text = Buffer.from(base64, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) throw new MalformedError('Authorization Basic without a colon')
  return { scheme: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) }
}

function parseQop(qop: string | undefined, need: (name: string) => string): { nc: string; cnonce: string } | undefined {
  if (qop === undefined) return undefined
  if (qop.toLowerCase() !== 'auth') throw new MalformedError('Authorization with a qop that was not offered')
  const nc = need('nc')
  if (!NC.test(nc)) throw new MalformedError('Authorization with an nc of other than 8 hex digits')
  return { nc, cnonce: need('cnonce') }
}
